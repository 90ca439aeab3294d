import { BusUnavailable } from "@toolbus/bus";
import { StoreRefused, StoreUnavailable } from "@toolbus/state";
import { TelemetryRefused } from "@toolbus/telemetry";
import { Refusal } from "./refusal.ts";
import type { Running } from "./run-services.ts";
import { BadSettings } from "./settings.ts";

/**
 * Runs a process from start to its end by signal. What a person can mend is one sentence on standard error and exit 1; a fault of ours keeps
 * its stack. A second SIGINT ends at once.
 */
export async function runMain(start: () => Promise<Pick<Running, "stop">>): Promise<void> {
  let running: Pick<Running, "stop"> | undefined;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let signals = 0;
  const onSignal = (): void => {
    if (++signals > 1) process.exit(130);
    end();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  // Services that only wait for messages and timers hold nothing open that would keep the process alive.
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    running = await start();
    await ended;
    const clean = await running.stop();
    if (clean) return;
    process.stderr.write("The time to stop ran out; what was open goes on at the next start.\n");
    // What did not stop in time would keep the process alive.
    process.exit(1);
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exitCode = 1;
  } finally {
    clearInterval(alive);
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

/** One sentence for what a person can mend; the stack for a fault of ours. */
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
