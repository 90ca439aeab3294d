import { consumeQueue, type MessageBus, type Subscription } from "@toolbus/bus";
import { messageTypes, parser, ToolPlan, topics } from "@toolbus/contracts";
import type { InvokeContext } from "./invoke-context.ts";
import { planCall } from "./plan-call.ts";

/** Consumes the questions about what a write would change. Returns no subscription if no tool of the toolset offers a plan. */
export async function answerPlans(
  bus: MessageBus,
  context: InvokeContext,
  { concurrency, lettersPerMinute }: { readonly concurrency: number; readonly lettersPerMinute?: number | undefined },
): Promise<readonly Subscription[]> {
  const { toolset, timings, log, clock } = context;
  const planners = toolset.list().filter(({ definition }) => definition.plan);
  if (planners.length === 0) return [];
  const subscription = await consumeQueue(bus, {
    topic: topics.plan(toolset.name),
    types: [messageTypes.toolPlan],
    parse: parsePlan,
    concurrency,
    deadlineMs: Math.max(...planners.map(({ definition }) => definition.timeoutMs)) + SETTLE_MS,
    backoffMs: timings.retryMs,
    ...(lettersPerMinute === undefined ? {} : { lettersPerMinute }),
    handler: (message, question, delivery) => planCall(message, question, delivery, context),
    log,
    clock,
  });
  return [subscription];
}

const parsePlan = parser(ToolPlan);
/** The time for reading the message, and for publishing the answer. */
const SETTLE_MS = 30_000;
