import { BusUnavailable } from "@toolbus/bus";
import { StoreRefused, StoreUnavailable } from "@toolbus/state";
import { TelemetryRefused } from "@toolbus/telemetry";
import { tellParent } from "./parent-process.ts";
import { Refusal } from "./refusal.ts";
import type { Running } from "./run-services.ts";
import { BadSettings } from "./settings.ts";

/** What a process runs; its services, where it has some, are told to the process that started it. */
export type Main = Pick<Running, "stop"> &
  Partial<Pick<Running, "services">> & {
    /** Resolves with the reason when it cannot go on by itself: then it is stopped, and the reason told. */
    readonly failed?: Promise<Error>;
  };

/**
 * Runs a process from start to its end by signal. What a person can fix is one sentence on standard error and exit 1; a fault of ours keeps
 * its stack. One that is told to stop while it waits for its store or its bus, as `start` learns by the signal, ends at once with exit 0. A second
 * SIGINT ends at once. One that was started with a channel (`fork`) says on it when it has started, and stops when it closes.
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
  // Whoever started it with a channel is gone: nobody would ever stop it.
  process.once("disconnect", stop);
  // And nobody reads what it says while it stops, which must not end it in the middle.
  if (process.connected) for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  // Services that only wait for messages and timers hold nothing open that would keep the process alive.
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    running = await start(stopping.signal);
    tellParent(running.services);
    const reason = await Promise.race([ended, running.failed ?? ended]);
    const clean = await running.stop();
    if (reason) throw reason;
    if (clean) return;
    process.stderr.write("The time to stop ran out; what was open goes on at the next start.\n");
    // What did not stop in time would keep the process alive.
    process.exit(1);
  } catch (error) {
    // What is still being connected to would keep the process alive.
    if (stopping.signal.aborted && error === stopping.signal.reason) process.exit(0);
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exitCode = 1;
  } finally {
    clearInterval(alive);
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("disconnect", stop);
  }
}

/** One sentence for what a person can fix; the stack for a fault of ours. */
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
