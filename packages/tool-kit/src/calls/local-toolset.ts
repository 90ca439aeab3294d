import type { Disposition, LocalToolset, Places } from "@toolbus/bus";
import { describeProblems, jsonParser, type Message, ToolInvoke, topics } from "@toolbus/contracts";
import type { InvokeContext } from "./invoke-context.ts";
import { invokeTool, readHere } from "./invoke-pipeline.ts";
import { replyAgent } from "./result-message.ts";

/** The deliveries of a call in this process. After that, the agent's timer makes the call again. */
const MAX_DELIVERIES = 10;

/** A toolset that an agent in the same process calls directly (B-13). */
export interface OpenLocalToolset extends LocalToolset {
  /** Begins no new calls and waits for the calls under way. Calls that wait for a place get no answer. */
  stop(): Promise<void>;
}

/**
 * Opens the direct way to a worker's pipeline. The call passes the same schema, limits, grant, ledger and record as a call from the bus. `places` is
 * the worker's limit of concurrency, which both ways share.
 */
export function localToolset(context: InvokeContext, places: Places): OpenLocalToolset {
  const { log, toolset, timings } = context;
  const closing = new AbortController();
  const calls = new Map<string, Promise<unknown>>();
  return {
    read: (invoke, body, signal) =>
      placed(body.toolCallId, signal, async (stopped) => {
        const end = await untilSettled(stopped, body.toolCallId, (count) => readHere(invoke, body, { count, signal: stopped }, context));
        return end?.kind === "result" ? end.result : null;
      }),
    async answer(invoke, signal) {
      const parsed = parseInvoke(invoke.body);
      if (!parsed.ok) {
        log.warn(
          { messageId: invoke.id.slice(0, 160), why: describeProblems(parsed.problems) },
          "an invoke that cannot be read was dropped",
        );
        return null;
      }
      const { value: body } = parsed;
      return placed(body.toolCallId, signal, async (stopped) => {
        let answer: Message | null = null;
        const replyTopic = topics.result(replyAgent(invoke.replyTo));
        // The pipeline of a write also sends other messages, such as a changed plan to approvals.
        const publish = async (message: Message): Promise<void> => {
          if (message.topic === replyTopic) answer = message;
          else await context.publish(message);
        };
        const here = { ...context, publish };
        await untilSettled(stopped, body.toolCallId, (count) => invokeTool(invoke, body, { count, signal: stopped }, here));
        return answer;
      });
    },
    runs: (callId) => calls.has(callId),
    async stop() {
      closing.abort(new Error("The worker stops."));
      await Promise.allSettled(calls.values());
    },
  };

  /** Runs the work in one of the worker's places. Returns null if the worker or the caller stops before there is one, or if the call runs already. */
  async function placed<T>(callId: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    if (closing.signal.aborted || calls.has(callId)) return null;
    const done = inPlace(signal, work).finally(() => calls.delete(callId));
    calls.set(callId, done);
    return done;
  }

  async function inPlace<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const place = places.tryTake() ?? (await places.take(AbortSignal.any([signal, closing.signal])).catch(() => null));
    if (!place) return null;
    try {
      return await work(signal);
    } finally {
      place.leave();
    }
  }

  /** Repeats a call that must be delivered again, as a bus would. Returns null if the call was given up. */
  async function untilSettled<T extends { readonly kind: string }>(
    signal: AbortSignal,
    callId: string,
    deliver: (count: number) => Promise<T>,
  ): Promise<T | null> {
    for (let count = 1; count <= MAX_DELIVERIES && !signal.aborted; count++) {
      const end = await deliver(count).catch((error: unknown): Disposition => {
        log.error({ error, toolset: toolset.name }, "a local call failed and is tried again");
        return { kind: "retry", after: timings.retryMs[0] ?? 1000, reason: "it failed" };
      });
      if (!isRetry(end)) return end as T;
      if (closing.signal.aborted) return null;
      await until(end.after, AbortSignal.any([signal, closing.signal]));
    }
    // The caller has stopped, which is no fault of the call.
    if (signal.aborted) return null;
    log.warn({ callId }, "a local call was given up; the agent's timer makes it again");
    return null;
  }
}

const parseInvoke = jsonParser(ToolInvoke);

function isRetry(end: { readonly kind: string }): end is Extract<Disposition, { kind: "retry" }> {
  return end.kind === "retry";
}

/** Waits for this time, or until the signal aborts. Does not keep the process alive. */
function until(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms).unref();
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) resolve();
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  });
}
