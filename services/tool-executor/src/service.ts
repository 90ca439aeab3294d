import { defineService, type Infrastructure, needKeysOf, Refusal } from "@toolbus/runtime";
import {
  FlagsRefused,
  type Gated,
  type GoldenMode,
  goldenObstacle,
  LimitsRefused,
  openProtection,
  openToolFlags,
  type Protection,
  RegistryConflict,
  StampRefused,
  startGate,
  startWorker,
  type ToolFlags,
  type Toolset,
  type Worker,
  workerStampObstacle,
  workerTimings,
} from "@toolbus/tool-kit";
import { type ExecutorConfig, executorSettings } from "./settings.ts";
import { OPERATIONS, servedBy, toolsetNames } from "./toolsets/index.ts";
import { guidesToolset } from "./toolsets/guides/guides-toolset.ts";
import { startOperations } from "./toolsets/operations/start-operations.ts";

/** The service with the toolsets that ship. */
export const toolExecutor = toolExecutorWith([]);

/**
 * Runs tools, with one worker for each toolset of `TOOLSETS` and for each of these `others`, which the process that starts the service supplies. A
 * worker calls the targets, checks every grant itself, and knows nothing about runs. With `operations` in `TOOLSETS`, the service also handles dead
 * letters.
 */
export function toolExecutorWith(others: readonly Toolset[]) {
  return defineService({
    name: "tool-executor",
    settings: executorSettings,
    identity: ({ RECEIPT_KEY_FILE, TOOLSETS }) => {
      const names = [...toolsetNames(TOOLSETS), ...others.map(({ name }) => name)];
      // Operations has no tools, so beside another toolset nobody verifies its key. Alone, it signs the process's reports of lost writes.
      const signing = names.filter((name) => name !== OPERATIONS);
      return {
        setting: "RECEIPT_KEY_FILE",
        file: RECEIPT_KEY_FILE,
        names: names.map((name) => `worker.${name}`),
        verifiedAs: (signing.length > 0 ? signing : names).map((name) => `worker.${name}`),
      };
    },
    async start(infrastructure, config) {
      if (config.LEDGER_RENEW_MS >= config.LEDGER_LEASE_MS)
        throw new Refusal(
          "LEDGER_RENEW_MS must be shorter than LEDGER_LEASE_MS, best a third of it: a lease that is renewed too late is lost in the middle of a write.",
        );
      const { bus, state, log, trusted, clock } = infrastructure;
      const { toolsets, operations, mcp, guides } = servedBy(config);
      const protection = toolProtection(config, infrastructure);
      const workers: Pick<Worker, "stop">[] = [];
      const gates: Gated[] = [];
      const stop = async (): Promise<void> => {
        await Promise.all([...workers, ...gates].map((part) => part.stop()));
        protection.stop();
      };
      try {
        // Operations starts first, so that it misses no dead letter from the queues of the toolsets.
        const { DEAD_LETTERS_KEPT_MS: keptMs, DEAD_LETTERS_PER_MINUTE: lettersPerMinute } = config;
        if (operations) workers.push(await startOperations({ bus, state, log, trusted, clock, keptMs, lettersPerMinute }));
        // A process without tools needs no keys to check grants.
        if (guides) needKeysOf(trusted, ["gateway"]);
        const ownGuides = guides ? [guidesToolset({ state, gatewayKeys: trusted.of("gateway"), log })] : [];
        const served = [...toolsets, ...ownGuides, ...others];
        // The tools of MCP servers are not known yet.
        const unknown = mcp ? [] : protection.unknownNames(served);
        if (unknown.length > 0) log.warn({ names: unknown }, "TOOL_LIMITS names tools or dependencies that this process does not have");
        if (served.length > 0) await startGated(served, infrastructure, config, protection, gates);
        // The MCP client is loaded only if it is needed, because it is a fifth of the code that a start loads.
        if (mcp) workers.push(await startBridge(infrastructure, config, protection));
      } catch (error) {
        await stop();
        throw error instanceof RegistryConflict || error instanceof StampRefused ? new Refusal(error.message) : error;
      }
      return { unready: () => gates.flatMap((gate) => gate.unready()), stop };
    },
  });
}

/**
 * Starts the toolset `mcp`, or stands by while another replica runs its servers. No golden calls are made, because foreign tools declare no golden
 * arguments.
 */
async function startBridge(infrastructure: Infrastructure, config: ExecutorConfig, protection: Protection): Promise<Pick<Worker, "stop">> {
  const { startOf } = await workerStarter(infrastructure, config, protection);
  const { startMcp } = await import("./toolsets/mcp/start-mcp.ts");
  return await startMcp(config, infrastructure, startOf);
}

/**
 * Starts the toolsets' workers one after another, each as soon as nothing speaks against it. Adds each to `gates` at once, so that the caller can stop
 * all of them.
 */
async function startGated(
  toolsets: readonly Toolset[],
  infrastructure: Infrastructure,
  config: ExecutorConfig,
  protection: Protection,
  gates: Gated[],
): Promise<void> {
  const { random } = infrastructure;
  const { flags, startOf } = await workerStarter(infrastructure, config, protection);
  const mode = config.GOLDEN_CALLS as GoldenMode;
  for (const toolset of toolsets) {
    const log = infrastructure.log.child({ toolset: toolset.name });
    const obstacle = async (signal: AbortSignal): Promise<string | null> =>
      (await workerStampObstacle(toolset, config.REGISTRY_STAMP_FILE)) ??
      (await goldenObstacle(toolset, mode, { flags, log, random, signal }));
    gates.push(await startGate({ obstacle, begin: () => startOf(toolset), log }));
  }
}

/** Returns the function that starts the worker of a toolset, and the flags of the process. */
async function workerStarter(
  { bus, local, state, losses, log, identity, trusted, random, monotonic, clock }: Infrastructure,
  config: ExecutorConfig,
  protection: Protection,
): Promise<{ readonly flags: ToolFlags; readonly startOf: (toolset: Toolset) => Promise<Worker> }> {
  needKeysOf(trusted, ["approvals"]);
  const flags = await toolFlags(config, { log, monotonic });
  const timings = { ...workerTimings, leaseMs: config.LEDGER_LEASE_MS, renewMs: config.LEDGER_RENEW_MS };
  return {
    flags,
    startOf: (toolset) =>
      startWorker({
        toolset,
        bus,
        local,
        state,
        losses,
        keys: trusted.of("approvals"),
        signer: identity.signer,
        receiptKeys: trusted.of(`worker.${toolset.name}`),
        log: log.child({ toolset: toolset.name }),
        clock,
        monotonic,
        random,
        concurrency: config.WORKER_CONCURRENCY,
        timings,
        maxContentBytes: config.TOOL_RESULT_MAX_BYTES,
        securityEventsPerMinute: config.SECURITY_EVENTS_PER_MINUTE,
        deadLettersPerMinute: config.DEAD_LETTERS_PER_MINUTE,
        flags,
        protection,
      }),
  };
}

/** Opens the limits and breakers, which all toolsets of this process share. */
function toolProtection(
  { TOOL_LIMITS: limits }: ExecutorConfig,
  { log, monotonic }: Pick<Infrastructure, "log" | "monotonic">,
): Protection {
  try {
    return openProtection({ limits, monotonic, log });
  } catch (error) {
    throw error instanceof LimitsRefused ? new Refusal(`TOOL_LIMITS: ${error.message}`) : error;
  }
}

async function toolFlags(
  { TOOLBUS_ENVIRONMENT, TOOL_FLAGS, TOOL_FLAGS_FILE }: ExecutorConfig,
  { log, monotonic }: Pick<Infrastructure, "log" | "monotonic">,
): Promise<ToolFlags> {
  try {
    return await openToolFlags({
      environment: TOOLBUS_ENVIRONMENT,
      text: TOOL_FLAGS,
      file: TOOL_FLAGS_FILE,
      monotonic,
      onProblem: (message) => log.warn({}, message),
    });
  } catch (error) {
    throw error instanceof FlagsRefused ? new Refusal(error.message) : error;
  }
}
