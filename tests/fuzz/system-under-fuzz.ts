import { startAgent, agentSettings } from "@toolbus/agent";
import { approvalsSettings, startApprovalsCore } from "@toolbus/approvals";
import { memoryBus, type MessageBus } from "@toolbus/bus";
import { gatewaySettings, startGatewayCore } from "@toolbus/gateway";
import { generateSealKey, generateSigningKey, ownKeys, publicKeySet, sealKeysOf, staticKeySet, trustedKeys } from "@toolbus/grants";
import type { ModelProvider } from "@toolbus/models";
import { type Infrastructure, readSettings } from "@toolbus/runtime";
import { memoryStore } from "@toolbus/state";
import { startWorker } from "@toolbus/tool-kit";
import { toolExecutor } from "@toolbus/tool-executor";
import { fuzzTools } from "./fuzz-tools.ts";
import type { Random } from "./random.ts";
import { type Watcher, witness } from "./witness.ts";

export type SystemUnderFuzz = Awaited<ReturnType<typeof systemUnderFuzz>>;

export const PROFILE = "chat";

export interface SystemOptions {
  readonly random: Random;
  /** Returns the wall-clock time in milliseconds. The store also uses it. */
  readonly clock: () => number;
  readonly model: ModelProvider;
  readonly watcher: Watcher;
  /** The bus, which is closed with the system. The default is a bus in memory with waits a thousand times shorter, so that ten attempts end soon. */
  readonly bus?: MessageBus;
}

/**
 * Starts every real service on one bus and a store in memory: gateway, agent, approvals, a worker with tools, and the worker that handles dead
 * letters. All services use the product's default times.
 */
export async function systemUnderFuzz(options: SystemOptions) {
  const { random, clock, model, watcher } = options;
  const { bus = memoryBus({ clock, random: () => random.next(), schedule: hurried }) } = options;
  const store = memoryStore({ clock });
  const witnessed = witness(bus, store, watcher);
  const key = await generateSigningKey();
  const verifying = staticKeySet(publicKeySet([key]));
  const own = await ownKeys(["agent", "gateway", "approvals", "worker.fuzz"]);
  const others = ["agent", "gateway", "worker.fuzz"].map((service) => [service, own.trusted.of(service)] as const);
  const as = (service: string): Infrastructure => ({ ...infrastructure, identity: own.identityOf(service) });
  const infrastructure: Infrastructure = {
    bus: witnessed.bus,
    state: witnessed.state,
    log: witnessed.log,
    identity: own.identityOf("worker.fuzz"),
    trusted: trustedKeys(Object.fromEntries([...others, ["approvals", verifying]])),
    embedded: true,
    random: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
    monotonic: () => performance.now(),
    clock,
  };
  const target = fuzzTools();
  const seals = sealKeysOf({ keys: [generateSealKey((count) => crypto.getRandomValues(new Uint8Array(count)))] });
  // The limits must never be reached here, because each message has to end as expected.
  const whole = 1_000_000;
  const soon = { POLL_MS: "20", DEAD_LETTERS_PER_MINUTE: String(whole) };
  const open = new AsyncDisposableStack();
  open.defer(() => store.close());
  open.defer(() => bus.close());
  const startOperations = () =>
    toolExecutor.start(
      infrastructure,
      readSettings(toolExecutor.settings, { TOOLSETS: "operations", DEAD_LETTERS_PER_MINUTE: String(whole) }),
    );
  let operations = await startOperations();
  open.defer(() => operations.stop());
  // Any sender on the bus can cause a hold of a shard, which only delays the shard's writes. With this setting the delay ends at once.
  const rules = readSettings(approvalsSettings, { ...soon, PIN_ON_FIRST_SIGHT: "true", RESUME_WRITES_AFTER_MS: "1" });
  const approvals = await startApprovalsCore(as("approvals"), rules, {
    signing: [key],
    verifying,
    seals,
  });
  open.defer(() => approvals.stop());
  const worker = await startWorker({
    ...infrastructure,
    toolset: target.toolset,
    keys: verifying,
    signer: infrastructure.identity.signer,
    seenEveryMs: 50,
    deadLettersPerMinute: whole,
  });
  open.defer(() => worker.stop());
  const agent = await startAgent(as("agent"), readSettings(agentSettings, soon), {
    provider: model,
    profiles: new Map([[PROFILE, profile]]),
  });
  open.defer(() => agent.stop());
  const gateway = startGatewayCore(as("gateway"), readSettings(gatewaySettings, soon));
  open.defer(() => gateway.stop());
  return {
    outside: witnessed.outside,
    idle: witnessed.idle,
    store,
    target,
    gateway: gateway.parts,
    topics: witnessed.topics,
    listeners: witnessed.listeners,
    /** Restarts the worker that handles dead letters. The worker then removes expired dead letters from its lists. */
    async restartOperations() {
      await operations.stop();
      operations = await startOperations();
    },
    stop: () => open.disposeAsync(),
  };
}

const profile = {
  name: PROFILE,
  description: "Does what it is told.",
  systemPrompt: "A scripted model reads no prompt.",
  model: null,
  toolChoice: "auto",
  askUser: false,
  tools: "all",
  limits: { maxRounds: 8, activeMs: 600_000, maxTools: 12, maxTokens: 100 },
  seedCalls: [],
  report: null,
  continueAfterFailedWrite: false,
} as const;

/** Schedules a task after a thousandth of the wait. The timer does not keep the process alive. */
function hurried(task: () => void, ms: number): () => void {
  if (ms <= 0) {
    const immediate = setImmediate(task);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(task, ms / 1000).unref();
  return () => clearTimeout(timer);
}
