import { BusUnavailable } from "@toolbus/bus";
import { StoreRefused, StoreUnavailable } from "@toolbus/state";
import { TelemetryRefused } from "@toolbus/telemetry";
import { notifyParent } from "./parent-process.ts";
import { Refusal } from "./refusal.ts";
import type { Running } from "./run-services.ts";
import { BadSettings } from "./settings.ts";

/** What a process runs; its services, if any, are reported to the parent process. */
export type Main = Pick<Running, "stop"> &
  Partial<Pick<Running, "services">> & {
    /** Resolves with the reason if it cannot continue by itself: then it is stopped, and the reason is reported. */
    readonly failed?: Promise<Error>;
  };

/**
 * Runs a process from its start to its end by signal. A problem that a person can fix is one sentence on standard error and exit 1; a fault of ours keeps
 * its stack. A process that is told to stop while it waits for its store or its bus (`start` gets the signal) ends at once with exit 0. A second SIGINT
 * ends it at once. A process that was started with a channel (`fork`) reports there that it has started, and stops when the channel closes.
 */
export async function runMain(start: (stopping: AbortSignal) => Promise<Main>): Promise<void> {
  let running: Main | undefined;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort(new Error("The process was told to stop while it started."));
    end();
  };
  let signals = 0;
  const onSignal = (): void => {
    if (++signals > 1) process.exit(130);
    stop();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  // The process at the other end of the channel is gone: nobody would ever stop this one.
  process.once("disconnect", stop);
  // And nobody reads its output while it stops, which must not end it in the middle.
  if (process.connected) for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  // Services that only wait for messages and timers have nothing open that would keep the process alive.
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    running = await start(stopping.signal);
    notifyParent(running.services);
    const reason = await Promise.race([ended, running.failed ?? ended]);
    const clean = await running.stop();
    if (reason) throw reason;
    if (clean) return;
    process.stderr.write("The time to stop ran out; open work continues at the next start.\n");
    // Parts that did not stop in time would keep the process alive.
    process.exit(1);
  } catch (error) {
    // Pending connections would keep the process alive.
    if (stopping.signal.aborted && error === stopping.signal.reason) process.exit(0);
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exitCode = 1;
  } finally {
    clearInterval(alive);
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("disconnect", stop);
  }
}

/** One sentence for a problem that a person can fix; the stack for a fault of ours. */
export function sentenceOf(error: unknown): string {
  if (
    error instanceof Refusal ||
    error instanceof StoreRefused ||
    error instanceof StoreUnavailable ||
    error instanceof BusUnavailable ||
    error instanceof BadSettings ||
    error instanceof TelemetryRefused
  ) {
    return error.message;
  }
  if (error instanceof Error) return `A fault of Toolbus, please report it: ${error.stack ?? error.message}`;
  return `A fault of Toolbus, please report it: ${String(error)}`;
}
