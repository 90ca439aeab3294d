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
export async function runWithin<T>(
  work: (signal: AbortSignal) => T | ToolProblem | Promise<T | ToolProblem>,
  limits: { readonly timeoutMs: number; readonly signals: Partial<Record<Exclude<StopReason, "timeout">, AbortSignal>> },
): Promise<Ran<T>> {
  const own = new AbortController();
  const { promise: interrupted, resolve } = Promise.withResolvers<Ran<T>>();
  const interrupt = (why: StopReason): void => {
    resolve({ kind: "interrupted", why });
    own.abort(new Error(WORDS[why]));
  };
  const timer = setTimeout(() => interrupt("timeout"), Math.max(0, limits.timeoutMs));
  const unlisten = SIGNALS.map((why) => onAbort(limits.signals[why], () => interrupt(why)));
  try {
    return own.signal.aborted ? await interrupted : await Promise.race([interrupted, settled(work, own.signal)]);
  } finally {
    clearTimeout(timer);
    for (const stop of unlisten) stop();
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

function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) listener();
  signal?.addEventListener("abort", listener, { once: true });
  return () => signal?.removeEventListener("abort", listener);
}
