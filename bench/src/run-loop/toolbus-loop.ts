import { type Profile, startAgent, agentSettings } from "@toolbus/agent";
import { connectBus, type MessageBus } from "@toolbus/bus";
import { isRunEnd, keys, type RunEnd, type RunEvent } from "@toolbus/contracts";
import { gatewaySettings, type Starting, sendFirstMessage, startGatewayCore } from "@toolbus/gateway";
import { drawnRandom, generateSigningKey, ownKeys, publicKeySet, staticKeySet } from "@toolbus/grants";
import type { ModelProvider } from "@toolbus/models";
import { type Infrastructure, type Principal, readSettings, tracedBus } from "@toolbus/runtime";
import { type Change, connectState, type StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { startWorker, type Worker } from "@toolbus/tool-kit";
import { noopTools } from "../embedded/noop-tools.ts";
import { withOption } from "../server-urls.ts";
import { PREFETCH } from "../tool-call/driver.ts";
import { chatProvider } from "./chat-provider.ts";
import { type Loop, type LoopPlace, SYSTEM_PROMPT, taskOf } from "./loop.ts";
import { type RoundTrace, roundTracer } from "./round-trace.ts";

/** A run that ended with an answer. */
export interface AnsweredRun {
  readonly runId: string;
  readonly text: string;
}

/** A loop of Toolbus runs. It can also report the requests of a run to the store. */
export interface ToolbusLoop extends Loop {
  /** Makes a run as `run` does, and returns its answer. The caller checks the answer. */
  ask(rounds: number): Promise<AnsweredRun>;
  /** Returns the requests of a single run to the store, round by round. */
  trace(rounds: number): Promise<readonly RoundTrace[]>;
}

const PROFILE: Profile = {
  name: "chat",
  description: "Looks things up.",
  systemPrompt: SYSTEM_PROMPT,
  tools: ["look"],
  limits: { maxRounds: 64, activeMs: 600_000, maxTools: 12, maxTokens: 1024 },
  model: null,
  toolChoice: "auto",
  seedCalls: [],
  report: null,
  askUser: false,
  continueAfterFailedWrite: false,
};

const PRINCIPAL: Principal = { id: "user:bench", tenant: "local", roles: ["user"], scopes: [], keyId: "bench" };

const own = await ownKeys(["bench", "gateway", "agent", "approvals"]);
const random = drawnRandom();
const clock = (): number => Date.now();
const monotonic = (): number => performance.now();

/**
 * Starts the gateway's core and an agent on Redis. Also starts a worker if the tools are in this process. A run begins when the loop sends
 * the first message of a new conversation. The run has ended when the store has answered the commit that ends it. Without `model`, the agent uses
 * the model client of the hand-written loop.
 */
export async function toolbusLoop(place: LoopPlace, model: ModelProvider | null = null): Promise<ToolbusLoop> {
  const ends = endsOfRuns();
  const tracer = roundTracer();
  const { bus, state } = await connect(place, "agent");
  const watched = ends.watch(tracer.watch(state));
  const infrastructure = infrastructureOf(bus, watched);
  const worker = place.tools.kind === "here" ? await startBenchWorker(infrastructure) : null;
  const gateway = startGatewayCore({ ...infrastructure, identity: own.identityOf("gateway") }, readSettings(gatewaySettings, {}));
  const agent = await startAgent(infrastructure, readSettings(agentSettings, {}), {
    provider: model ?? chatProvider(place.modelUrl, tracer),
    profiles: new Map([[PROFILE.name, PROFILE]]),
  });
  const ask = (rounds: number): Promise<AnsweredRun> => oneRun(gateway.parts, ends, rounds);
  const run = async (rounds: number): Promise<void> => void (await ask(rounds));
  return {
    run,
    ask,
    async trace(rounds) {
      tracer.begin();
      await run(rounds);
      return tracer.end();
    },
    async stop() {
      await gateway.stop();
      await agent.stop();
      await worker?.stop();
      await bus.close();
      await state.close();
    },
  };
}

/** Starts only a worker, for an agent in another process. */
export async function toolbusWorker(place: LoopPlace): Promise<Pick<Loop, "stop">> {
  const { bus, state } = await connect(place, "worker");
  const worker = await startBenchWorker(infrastructureOf(bus, state));
  return {
    async stop() {
      await worker.stop();
      await bus.close();
      await state.close();
    },
  };
}

async function connect({ redisUrl, namespace, tools }: LoopPlace, service: string): Promise<{ bus: MessageBus; state: StateStore }> {
  const state = await connectState(withOption(redisUrl, "namespace", namespace), { clock });
  const [busUrl, system] =
    tools.kind === "here" ? ["memory:", "memory"] : [withOption(tools.place.url, "namespace", tools.place.namespace), tools.broker];
  const bus = await connectBus(busUrl, { clock });
  return { bus: tracedBus(bus, { service, system, clock, monotonic }), state };
}

function infrastructureOf(bus: MessageBus, state: StateStore): Infrastructure {
  const keyed = { identity: own.identityOf("bench"), trusted: own.trusted, embedded: true };
  return { bus, local: new Map(), state, log: silentLog, ...keyed, random, monotonic, clock };
}

async function startBenchWorker(infrastructure: Infrastructure): Promise<Worker> {
  const keySet = staticKeySet(publicKeySet([await generateSigningKey()]));
  return startWorker({
    ...infrastructure,
    signer: own.identityOf("bench").signer,
    toolset: noopTools(),
    keys: keySet,
    concurrency: PREFETCH,
  });
}

async function oneRun(inbound: Starting, ends: EndsOfRuns, rounds: number): Promise<AnsweredRun> {
  const sent = await sendFirstMessage(inbound, { principal: PRINCIPAL, body: { content: taskOf(rounds) } });
  if (sent.kind === "refused") throw new Error(`a message was refused: ${sent.detail}`);
  const end = await ends.of(sent.runId);
  if (end.type !== "run.completed") throw new Error(`a run ended as ${end.type}`);
  return { runId: sent.runId, text: end.text };
}

interface EndsOfRuns {
  /** Returns the same store. It watches the store's commits for ends of runs. */
  watch(state: StateStore): StateStore;
  of(runId: string): Promise<RunEnd>;
}

/** Reads the ends of runs from the commits that end them, so the loop makes no extra request. */
function endsOfRuns(): EndsOfRuns {
  const byLog = new Map<string, PromiseWithResolvers<RunEnd>>();
  return {
    watch: (state) => ({
      ...state,
      async commit(shard, change) {
        const reply = await state.commit(shard, change);
        const [log, end] = reply.outcome === "ok" ? endIn(change) : [];
        if (log !== undefined && end) endOf(log).resolve(end);
        return reply;
      },
    }),
    async of(runId) {
      const log = keys.events(runId);
      const end = await endOf(log).promise;
      byLog.delete(log);
      return end;
    },
  };

  function endOf(log: string): PromiseWithResolvers<RunEnd> {
    const known = byLog.get(log) ?? Promise.withResolvers<RunEnd>();
    byLog.set(log, known);
    return known;
  }
}

function endIn({ append = [] }: Change): readonly [log?: string, end?: RunEnd] {
  for (const { log, entries } of append) {
    const last = entries.at(-1) as RunEvent | undefined;
    if (log.startsWith("tb:events:") && last && isRunEnd(last)) return [log, last];
  }
  return [];
}
