import { fileKeySet, httpKeySet, type KeySet, KeyRefused, openSigningKey, type Signer, signerOf } from "@toolbus/grants";
import { defineService, type Infrastructure, Refusal } from "@toolbus/runtime";
import { FlagsRefused, openToolFlags, RegistryConflict, startWorker, type ToolFlags, type Worker, workerTimings } from "@toolbus/tool-kit";
import { type ExecutorConfig, executorSettings } from "./settings.ts";
import { toolsetsOf } from "./toolsets/index.ts";

/** Runs tools: one worker for each toolset of `TOOLSETS`. It calls the targets, checks every grant itself, and knows nothing of runs. */
export const toolExecutor = defineService({
  name: "tool-executor",
  settings: executorSettings,
  async start({ bus, state, log, random, monotonic, clock }, config) {
    if (config.LEDGER_RENEW_MS >= config.LEDGER_LEASE_MS)
      throw new Refusal(
        "LEDGER_RENEW_MS must be shorter than LEDGER_LEASE_MS, best a third of it: a lease that is renewed too late is lost in the middle of a write.",
      );
    const toolsets = toolsetsOf(config);
    const keys = keySetOf(config, { log, clock });
    const signer = await receiptSigner(config.RECEIPT_KEY_FILE);
    const flags = await toolFlags(config, { log, monotonic });
    const timings = { ...workerTimings, leaseMs: config.LEDGER_LEASE_MS, renewMs: config.LEDGER_RENEW_MS };
    const workers: Worker[] = [];
    const stop = async (): Promise<void> => void (await Promise.all(workers.map((worker) => worker.stop())));
    try {
      for (const toolset of toolsets) {
        workers.push(
          await startWorker({
            toolset,
            bus,
            state,
            keys,
            signer,
            log: log.child({ toolset: toolset.name }),
            clock,
            monotonic,
            random,
            concurrency: config.WORKER_CONCURRENCY,
            timings,
            flags,
          }),
        );
      }
    } catch (error) {
      await stop();
      throw error instanceof RegistryConflict ? new Refusal(error.message) : error;
    }
    return { unready: () => [], stop };
  },
});

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
