import type { Verdict } from "@toolbus/bus";
import { type Message, shardOf, type ToolPlan } from "@toolbus/contracts";
import { toolCall } from "../tool/tool-call.ts";
import { isAnswer, makePlan, publishPlan } from "../writes/plan-write.ts";
import { retryAfter } from "../worker-timings.ts";
import type { InvokeContext } from "./invoke-context.ts";
import { readArguments } from "./read-arguments.ts";

/**
 * Answers the question of what a write would change. The question has no effect, so it needs no grant, and a repeat is harmless. A worker that has no
 * answer now is asked again: by the broker a few times, and by approvals as long as the approval waits.
 */
export async function planCall(
  message: Message,
  question: ToolPlan,
  delivery: { readonly count: number; readonly signal: AbortSignal },
  context: InvokeContext,
): Promise<Verdict> {
  const { toolCallId, toolName, toolVersion, toolHash, arguments: text, sessionId } = question;
  const { toolset, state, timings, log } = context;
  if (Number.parseInt(shardOf(toolCallId), 16) >= state.shards)
    return { kind: "unusable", reason: "the call id names a shard that this store does not have" };
  const executor = toolset.find(toolName, toolVersion);
  // During a deployment, another replica may have this definition.
  if (!executor || executor.tool.kind !== "write" || executor.hash !== toolHash || executor.tool.plan === undefined)
    return again(`this worker has no such definition of "${toolName}"`);
  const { tool } = executor;
  const args = readArguments(executor.definition, text);
  if (!args.ok) return { kind: "unusable", reason: "its arguments do not fit the definition" };
  const call = toolCall({
    message,
    invoke: { toolCallId, toolName, arguments: text, sessionId },
    count: delivery.count,
    stopped: delivery.signal,
    cancelled: delivery.signal,
    source: `worker.${toolset.name}`,
    announce: async () => undefined,
    clock: context.clock,
    monotonic: context.monotonic,
  });
  const entry = await context.protection.enter({
    definition: executor.definition,
    hasCheck: toolset.hasCheck,
    signals: [delivery.signal],
  });
  if (entry.kind !== "entered") {
    if (entry.kind === "refused") entry.pass.leave();
    return again(entry.problem.message);
  }
  try {
    const made = await makePlan(call, { ...executor, tool }, args.value, context);
    if (made.kind === "failed") entry.pass.saw(made.ran, "step");
    if (made.kind === "interrupted" || !isAnswer(made)) return again("it could not be planned now");
    await publishPlan(call, { ...executor, tool }, args.value, context, { made });
    return { kind: "ack" };
  } finally {
    entry.pass.leave();
    call.progress.end();
  }

  function again(reason: string): Verdict {
    if (delivery.count < MOST_TRIES) return { kind: "retry", after: retryAfter(timings, delivery.count), reason };
    log.warn({ callId: toolCallId, tool: toolName, reason }, "a write was not planned; approvals asks again");
    return { kind: "ack" };
  }
}

const MOST_TRIES = 4;
