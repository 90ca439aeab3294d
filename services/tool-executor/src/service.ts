import { fileKeySet, httpKeySet, type KeySet, KeyRefused, openSigningKey, type Signer, signerOf } from "@toolbus/grants";
import { defineService, type Infrastructure, Refusal } from "@toolbus/runtime";
import {
  FlagsRefused,
  openToolFlags,
  RegistryConflict,
  startWorker,
  type ToolFlags,
  type Toolset,
  type Worker,
  workerTimings,
} from "@toolbus/tool-kit";
import { type ExecutorConfig, executorSettings } from "./settings.ts";
import { servedBy } from "./toolsets/index.ts";
import { startOperations } from "./toolsets/operations/start-operations.ts";

/**
 * Runs tools: one worker for each toolset of `TOOLSETS`. It calls the targets, checks every grant itself, and knows nothing of runs. With `operations`
 * among them it looks after dead letters as well.
 */
export const toolExecutor = defineService({
  name: "tool-executor",
  settings: executorSettings,
  async start(infrastructure, config) {
    if (config.LEDGER_RENEW_MS >= config.LEDGER_LEASE_MS)
      throw new Refusal(
        "LEDGER_RENEW_MS must be shorter than LEDGER_LEASE_MS, best a third of it: a lease that is renewed too late is lost in the middle of a write.",
      );
    const { bus, state, log, clock } = infrastructure;
    const { toolsets, operations } = servedBy(config);
    const workers: Worker[] = [];
    const stop = async (): Promise<void> => void (await Promise.all(workers.map((worker) => worker.stop())));
    try {
      // First, so that nothing the toolsets give up goes unseen.
      if (operations) workers.push(await startOperations({ bus, state, log, clock, keptMs: config.DEAD_LETTERS_KEPT_MS }));
      // Without tools it needs no keys to check their grants with.
      if (toolsets.length > 0) await startWorkers(toolsets, infrastructure, config, workers);
    } catch (error) {
      await stop();
      throw error instanceof RegistryConflict ? new Refusal(error.message) : error;
    }
    return { unready: () => [], stop };
  },
});

/** Starts the toolsets' workers one after another and adds each to `started`, so that whoever has to stop them knows of all. */
async function startWorkers(
  toolsets: readonly Toolset[],
  { bus, state, losses, log, random, monotonic, clock }: Infrastructure,
  config: ExecutorConfig,
  started: Worker[],
): Promise<void> {
  const keys = keySetOf(config, { log, clock });
  const signer = await receiptSigner(config.RECEIPT_KEY_FILE);
  const flags = await toolFlags(config, { log, monotonic });
  const timings = { ...workerTimings, leaseMs: config.LEDGER_LEASE_MS, renewMs: config.LEDGER_RENEW_MS };
  for (const toolset of toolsets) {
    started.push(
      await startWorker({
        toolset,
        bus,
        state,
        losses,
        keys,
        signer,
        log: log.child({ toolset: toolset.name }),
        clock,
        monotonic,
        random,
        concurrency: config.WORKER_CONCURRENCY,
        timings,
        maxContentBytes: config.TOOL_RESULT_MAX_BYTES,
        flags,
      }),
    );
  }
}

const JWKS_TIMEOUT_MS = 5000;

function keySetOf({ JWKS_FILE, JWKS_URL }: ExecutorConfig, { log, clock }: Pick<Infrastructure, "log" | "clock">): KeySet {
  const onProblem = (message: string): void => log.warn({}, message);
  if (JWKS_FILE !== "") return fileKeySet({ file: JWKS_FILE, clock, onProblem });
  if (JWKS_URL !== "") return httpKeySet({ url: JWKS_URL, clock, timeoutMs: JWKS_TIMEOUT_MS, onProblem });
  throw new Refusal("Set JWKS_FILE or JWKS_URL to the approvals service's public keys: without them no write can be checked.");
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

async function receiptSigner(file: string): Promise<Signer | undefined> {
  if (file === "") return undefined;
  try {
    return await signerOf(await openSigningKey({ file }));
  } catch (error) {
    throw error instanceof KeyRefused ? new Refusal(error.message) : error;
  }
}
