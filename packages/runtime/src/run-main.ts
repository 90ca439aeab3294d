import { BusUnavailable } from "@toolbus/bus";
import { KeyRefused } from "@toolbus/grants";
import { StoreRefused, StoreUnavailable } from "@toolbus/state";
import { TelemetryRefused } from "@toolbus/telemetry";
import { notifyParent } from "./parent-process.ts";
import { Refusal } from "./refusal.ts";
import type { Running } from "./run-services.ts";
import { BadSettings } from "./settings.ts";

/** The work of a process. `runMain` reports its services, if any, to the parent process. */
export type Main = Pick<Running, "stop"> &
  Partial<Pick<Running, "services">> & {
    /** Resolves with the reason if the process cannot continue. The process then stops, and prints the reason. */
    readonly failed?: Promise<Error>;
  };

/**
 * Runs a process until a signal stops it. For a problem that a person can fix, it prints one sentence on standard error and exits with 1. For a fault
 * of ours it prints the stack. If a signal arrives while the process waits for its store or its bus, it exits at once with 0, because `start`
 * receives the abort signal. A second signal ends the process at once. A process with a channel (`fork`) reports its start on the channel, and stops
 * when the channel closes.
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
  // The parent process has exited, so nobody else would stop this one.
  process.once("disconnect", stop);
  // Nobody reads the output after the parent's exit, and failed writes must not interrupt the stop.
  if (process.connected) for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  // This timer keeps the process alive, because services that only wait for messages and timers may have no open handle.
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    running = await start(stopping.signal);
    notifyParent(running.services);
    const reason = await Promise.race([ended, running.failed ?? ended]);
    const clean = await running.stop();
    if (reason) throw reason;
    if (clean) {
      // RabbitMQ reads nothing from a connection that published while it is short of memory, so its socket would keep the process alive for as long.
      setTimeout(() => process.exit(), LEFT_OPEN_MS).unref();
      return;
    }
    process.stderr.write("The time to stop ran out; open work continues at the next start.\n");
    // Without this exit, parts that did not stop in time would keep the process alive.
    process.exit(1);
  } catch (error) {
    // Without this exit, pending connections would keep the process alive.
    if (stopping.signal.aborted && error === stopping.signal.reason) process.exit(0);
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exitCode = 1;
  } finally {
    clearInterval(alive);
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("disconnect", stop);
  }
}

/** How long something that nobody closed may keep a stopped process alive. */
const LEFT_OPEN_MS = 2000;

/** Returns one sentence for a problem that a person can fix, and the stack for a fault of ours. */
export function sentenceOf(error: unknown): string {
  if (
    error instanceof Refusal ||
    error instanceof KeyRefused ||
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
