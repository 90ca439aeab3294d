import { connectBus } from "@toolbus/bus";
import { drawnRandom, fileKeySet, httpKeySet, type Identity, type KeySet, signMessage } from "@toolbus/grants";
import { rollbackMessage } from "@toolbus/contracts";
import { connectState, SKEW_WARN_MS, storeClock, storeLosses } from "@toolbus/state";
import { createLog, type LogLevel, recordStoreLoss, recordUnreportedLoss, watchClocks } from "@toolbus/telemetry";
import { placeInWords } from "./meeting-place.ts";
import { optionFault } from "./option-fault.ts";
import { openReceiptKey } from "./registry/open-receipt-key.ts";
import { openProtection } from "./protection/protection.ts";
import { openToolFlags } from "./registry/tool-flags.ts";
import { type GoldenMode, goldenObstacle } from "./rollout/golden-obstacle.ts";
import { workerStampObstacle } from "./rollout/registry-stamp.ts";
import { startGate } from "./rollout/start-gate.ts";
import type { Toolset } from "./tool/toolset.ts";
import { startWorker, type Worker } from "./worker.ts";

export interface ServeOptions {
  readonly busUrl: string;
  readonly stateUrl: string;
  /**
   * Whether a store that may lose acknowledged writes is refused or only causes a warning. By default the URL decides, and without a setting in the
   * URL it is "required".
   */
  readonly durability?: "required" | "relaxed";
  /**
   * Ends the wait for a store that is unavailable at the start, and then `serveToolset` rejects with `StoreUnavailable`. Also ends the wait for golden
   * calls, and then `serveToolset` rejects with the signal's reason.
   */
  readonly signal?: AbortSignal;
  /** The file with the public keys of the approvals service. Pass either this or `jwksUrl`, which is the address of its `/.well-known/jwks.json`. */
  readonly jwksFile?: string;
  readonly jwksUrl?: string;
  /**
   * The file of the toolset's own key, which signs the values and results of its writes. "toolbus keys" creates this file, and all replicas have the
   * same file. An operator pins the public half of the key with the tools. A toolset with a write does not start without the key, except on a bus in
   * memory.
   */
  readonly receiptKeyFile?: string;
  readonly concurrency?: number;
  /** The environment whose flags apply. The default is "local". */
  readonly environment?: string;
  /** The feature flags of the tools, as text (`issue_refund_enabled=false`). `flagsFile` is a file of flags. See `ToolFlags`. */
  readonly flags?: string;
  readonly flagsFile?: string;
  /** The operator's limits of tools and dependencies, such as `get_order.callsPerMinute=60,*.argumentBytes=4096,shop.concurrent=4`. */
  readonly limits?: string;
  /**
   * The log warns if this machine's clock and the store's clock differ by more than this. The value is from 100 to 3,600,000 milliseconds, and 2,000
   * by default.
   */
  readonly clockSkewWarnMs?: number;
  readonly logLevel?: LogLevel;
  /**
   * Whether the worker calls each tool with its example before it takes calls. With "warn", a failure is only logged. With "required", the worker
   * waits until the calls pass, and `serveToolset` resolves only then. The default is "off".
   */
  readonly goldenCalls?: GoldenMode;
  /**
   * The stamp of the deployment that "toolbus tools stamp" made. If the toolset differs from the stamp, the worker waits until they agree, and
   * `serveToolset` resolves only then.
   */
  readonly stampFile?: string;
}

/**
 * Serves a toolset in its own process. Connects, starts the worker and stops it on SIGTERM or SIGINT. An external worker needs only this function and
 * its tools. Resolves when calls may arrive. Rejects with one sentence if the bus, the store, the keys or the flags are unavailable.
 */
export async function serveToolset(toolset: Toolset, options: ServeOptions): Promise<Worker> {
  const fault = optionFault(options);
  if (fault !== null) throw new TypeError(`The toolset "${toolset.name}" cannot be served, because ${fault}`);
  const monotonic = (): number => performance.now();
  const time = storeClock({ wall: () => Date.now(), monotonic, skewWarnMs: options.clockSkewWarnMs ?? SKEW_WARN_MS.default });
  const clock = time.now;
  const log = createLog({ name: `worker.${toolset.name}`, level: options.logLevel ?? "info" });
  const keys = keySetOf(options, monotonic, (message) => log.warn({}, message));
  // Such a worker has the keys of approvals and no service-keys.json. So it cannot know which key the agent has for its toolset: an operator pins the
  // one that it registers. The tool-executor, which has the file, refuses another key than the one there.
  const receiptKey = await openReceiptKey(toolset, { file: options.receiptKeyFile, busUrl: options.busUrl });
  const identity: Identity | null = receiptKey && { service: `worker.${toolset.name}`, signer: receiptKey.signer };
  const { environment = "local", flags: text, flagsFile: file } = options;
  const flags = await openToolFlags({ environment, text, file, monotonic, onProblem: (message) => log.warn({}, message) });
  const protection = openProtection({ limits: options.limits, monotonic, log });
  const random = drawnRandom();
  const losses = storeLosses({
    onLoss: (loss) => recordStoreLoss(log, loss),
    onReportFailed: (error) => recordUnreportedLoss(log, error),
  });
  const state = await connectState(options.stateUrl, {
    clock,
    time,
    ...(options.durability === undefined ? {} : { durability: options.durability }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    warn: (sentence) => log.warn({}, sentence),
    onRollback: losses.onRollback,
  });
  const unwatch = watchClocks(log, time);
  const opened: { stop(): Promise<void> }[] = [
    { stop: () => state.close() },
    { stop: async () => unwatch() },
    { stop: async () => protection.stop() },
  ];
  let worker: Worker | undefined;
  try {
    const bus = await connectBus(options.busUrl, { clock, log });
    // The bus is closed first, so that no pending report delays the stop.
    opened.push({ stop: losses.stop }, { stop: () => bus.close() });
    losses.reportBy(async (found) => {
      const id = Buffer.from(random(8)).toString("hex");
      const notice = rollbackMessage({ losses: [...found], source: `worker.${toolset.name}`, id, now: clock() });
      // Without a key, nobody believes the report. The services that can sign report the same loss.
      await bus.publish(identity ? await signMessage(notice, identity) : notice);
    });
    const { concurrency } = options;
    const begin = async (): Promise<Worker> =>
      (worker = await startWorker({
        toolset,
        bus,
        state,
        losses,
        keys,
        ...(receiptKey ? { signer: receiptKey.signer, receiptKeys: receiptKey.keys } : {}),
        log,
        clock,
        monotonic,
        flags,
        protection,
        random,
        ...(concurrency === undefined ? {} : { concurrency }),
      }));
    const mode = options.goldenCalls ?? "off";
    const obstacle = async (signal: AbortSignal): Promise<string | null> =>
      (await workerStampObstacle(toolset, options.stampFile ?? "")) ??
      (await goldenObstacle(toolset, mode, { flags, log, random, signal }));
    const gate = await startGate({ obstacle, begin, log });
    opened.push(gate);
    await unlessAborted(gate.settled, options.signal);
  } catch (error) {
    await stopAll(opened);
    throw error;
  }
  // No other log line says that this process has started.
  log.info({ toolset: toolset.name, tools: toolset.list().length, ...placeInWords(options) }, "a toolset is served");
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    process.off("SIGTERM", onSignal).off("SIGINT", onSignal);
    return (stopping ??= stopAll(opened));
  };
  const onSignal = (): void => {
    stop().catch((error: unknown) => {
      log.error({ error }, "the worker did not stop cleanly");
      process.exitCode = 1;
    });
  };
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  return { stop, renew: async () => worker?.renew() };
}

const JWKS_TIMEOUT_MS = 5000;

function keySetOf({ jwksFile, jwksUrl }: ServeOptions, clock: () => number, onProblem: (message: string) => void): KeySet {
  return jwksFile === undefined || jwksFile === ""
    ? httpKeySet({ url: jwksUrl ?? "", clock, timeoutMs: JWKS_TIMEOUT_MS, onProblem })
    : fileKeySet({ file: jwksFile, clock, onProblem });
}

/** Rejects with the signal's reason if it aborts first. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  await Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", onAbort));
}

async function stopAll(opened: readonly { stop(): Promise<void> }[]): Promise<void> {
  for (const part of opened.toReversed()) await part.stop();
}
