import { ToolProblem } from "../tool/tool-problem.ts";

/** The reason why a handler was stopped before it ended. */
export type StopReason = "timeout" | "cancelled" | "stopped" | "lost";

/** The outcome of a handler. */
export type Ran<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "problem"; readonly problem: ToolProblem }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "interrupted"; readonly why: StopReason };

/**
 * Runs a handler for at most `timeoutMs`, or until one of the signals aborts. Never throws. Does not wait for a handler that ignores its signal, and
 * drops the handler's later result.
 */
export function runWithin<T>(
  work: (signal: AbortSignal) => T | ToolProblem | Promise<T | ToolProblem>,
  { timeoutMs, signals }: { readonly timeoutMs: number; readonly signals: Partial<Record<Exclude<StopReason, "timeout">, AbortSignal>> },
): Promise<Ran<T>> {
  const before = SIGNALS.find((why) => signals[why]?.aborted);
  if (before !== undefined) return Promise.resolve({ kind: "interrupted", why: before });
  const { promise, resolve } = Promise.withResolvers<Ran<T>>();
  const own = new AbortController();
  const cancelled = (): void => interrupt("cancelled");
  const stopped = (): void => interrupt("stopped");
  const lost = (): void => interrupt("lost");
  signals.cancelled?.addEventListener("abort", cancelled);
  signals.stopped?.addEventListener("abort", stopped);
  signals.lost?.addEventListener("abort", lost);
  const timer = setTimeout(() => interrupt("timeout"), Math.max(0, timeoutMs));
  void settled(work, own.signal).then(end);
  return promise;

  function interrupt(why: StopReason): void {
    end({ kind: "interrupted", why });
    own.abort(new Error(WORDS[why]));
  }

  function end(ran: Ran<T>): void {
    clearTimeout(timer);
    signals.cancelled?.removeEventListener("abort", cancelled);
    signals.stopped?.removeEventListener("abort", stopped);
    signals.lost?.removeEventListener("abort", lost);
    resolve(ran);
  }
}

const SIGNALS = ["cancelled", "stopped", "lost"] as const;
const WORDS: Readonly<Record<StopReason, string>> = {
  timeout: "The tool took longer than its time-out.",
  cancelled: "The tool call was cancelled.",
  stopped: "The worker stops.",
  lost: "Another attempt at this call has taken over.",
};

async function settled<T>(work: (signal: AbortSignal) => T | ToolProblem | Promise<T | ToolProblem>, signal: AbortSignal): Promise<Ran<T>> {
  try {
    const value = await work(signal);
    return value instanceof ToolProblem ? { kind: "problem", problem: value } : { kind: "value", value };
  } catch (error) {
    return error instanceof ToolProblem ? { kind: "problem", problem: error } : { kind: "threw", error };
  }
}
