import type { Incoming } from "@toolbus/runtime";
import { attributeNames, currentTraceparent, type Span, spanNames, withSpan } from "@toolbus/telemetry";
import type { Gateway } from "../gateway.ts";
import type { MessageAccepted } from "../inbound/send-message.ts";
import { orProblem, type Refused } from "../refused.ts";
import { ownRun } from "../run-access.ts";
import { viewRun } from "../run-view.ts";
import { streamRun } from "../stream/stream-run.ts";
import { takePlace } from "../stream/stream-place.ts";

/** Starts a run. Answers with the run's stream if the client asked for a stream, else with the run. */
export async function answerWithRun(
  gateway: Gateway,
  { principal, request, reply }: Pick<Incoming, "principal" | "request" | "reply">,
  start: (traceparent: string | undefined) => Promise<MessageAccepted | Refused>,
): Promise<unknown> {
  // The place is reserved before anything is accepted, because a client whose stream is refused must not have started a run.
  const place = request.headers.accept?.includes("text/event-stream") ? takePlace(gateway, principal) : null;
  try {
    const { own, replayed } = await withSpan(spanNames.conversation, {}, accepted);
    const { runId } = own;
    reply.header("location", `/v1/runs/${runId}`).header("x-toolbus-run-id", runId);
    if (replayed) reply.header("idempotent-replay", "true");
    if (!place) {
      reply.code(202);
      return await viewRun(gateway.state, own);
    }
    const begins = { type: "accepted", runId, conversationId: own.origin.conversationId } as const;
    await streamRun(gateway, { own, after: 0, principal, reply, accepted: begins, place });
    return undefined;
  } finally {
    place?.leave();
  }

  /**
   * Accepts the run in this span. The run's spans are beneath the span of the conversation's first message. If this is a later message, the run's
   * spans have links to this span.
   */
  async function accepted(span: Span) {
    const { runId, replayed, begun } = orProblem(await start(currentTraceparent()));
    const own = begun ?? (await ownRun(gateway.state, runId, principal));
    span.set({ [attributeNames.conversationId]: own.origin.conversationId, [attributeNames.runId]: runId });
    return { own, replayed };
  }
}
