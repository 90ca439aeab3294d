import {
  type ConversationState,
  derivedRunId,
  type IfActive,
  keys,
  MAX_QUEUED_RUNS,
  type MessageRequest,
  newRunId,
  parseRunOrigin,
  type RunOrigin,
  shardOf,
} from "@toolbus/contracts";
import { acceptMessage } from "../accept.ts";
import { findConversation } from "../conversation-access.ts";
import { isRefused, keyReused, refused, type Refused } from "../refused.ts";
import type { OwnRun } from "../run-access.ts";
import { type Inbound, newRequestId, type Request, type Starting, TRIES } from "./inbound.ts";
import { requestHash } from "./request-hash.ts";
import { tooLarge } from "./text-size.ts";

/** An accepted message. It has a run. */
export interface MessageAccepted {
  readonly kind: "accepted";
  readonly runId: string;
  /** Whether an earlier request with the same key was accepted. */
  readonly replayed: boolean;
  /** The run of a request that was accepted now. A repeat has none, because its run may be at any point. */
  readonly begun?: OwnRun;
}

/** Returns the outcome of a commit that accepted a message: its run, which no agent has taken yet. */
export function begun(origin: RunOrigin, now: number): MessageAccepted {
  const { runId } = origin;
  return { kind: "accepted", runId, replayed: false, begun: { kind: "found", now, runId, origin, run: null } };
}

/**
 * Accepts a message in a conversation of the principal. The gateway knows an active run only from the agent's stored state. So the agent decides
 * again when it takes the message.
 */
export async function sendMessage(
  inbound: Starting,
  request: Request & { readonly conversationId: string; readonly body: MessageRequest },
): Promise<MessageAccepted | Refused> {
  const { state, outbox, config, identity, underWay, random, clock } = inbound;
  const { principal, key, conversationId, traceparent } = request;
  const { content, text = content, ifActive = "enqueue" } = request.body;
  if (text === undefined || (content !== undefined && content !== text)) return notOneText();
  const large = tooLarge(text, "The text");
  if (large) return large;
  const messageHash = requestHash({ text, ifActive });
  const requestId = newRequestId(inbound);
  let runId: string | undefined;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const found = await findConversation(state, conversationId, principal);
    if (found.kind === "refused") return found;
    const { now, version, origin } = found;
    if (origin.owner !== principal.id) return onlyTheOwner();
    runId ??= newId(key);
    if (key !== undefined) {
      const before = await acceptedBefore(inbound, runId, messageHash);
      if (before) return before;
    }
    const busy = whyNotNow(found.state, ifActive);
    if (busy) return busy;
    const conversation = { version, value: origin };
    const message = { now, principal, requestId, runId, conversation, text, input: {}, ifActive, messageHash, traceparent };
    const commit = async () => {
      const { change, wake, origin: started } = await acceptMessage(message, config, identity);
      return { ...(await outbox.commit(shardOf(message.runId), change, [wake])), started };
    };
    const reply = await underWay.within(principal, runId, commit);
    if (isRefused(reply)) return reply;
    if (reply.outcome === "ok") return begun(reply.started, reply.now);
    // Another message was accepted first, or a repeat of this one, so the loop reads again.
  }
  return refused("conflict", "Others kept writing to this conversation; nothing was accepted.", "Repeat the request.");

  function newId(given: string | undefined): string {
    if (given === undefined) return newRunId({ now: clock(), random: random(32) }, conversationId);
    const route = `POST /v1/conversations/${conversationId}/messages`;
    return derivedRunId({ tenant: principal.tenant, principal: principal.id, route, key: given }, conversationId);
  }
}

/** Returns the outcome of an earlier request with the key of this run, or null if there was none. */
export async function acceptedBefore(
  { state }: Pick<Inbound, "state">,
  runId: string,
  messageHash: string,
): Promise<MessageAccepted | Refused | null> {
  const { documents } = await state.read([keys.runOrigin(runId)]);
  const origin = parseRunOrigin(documents[0]?.value);
  if (!origin.ok) return null;
  return origin.value.messageHash === messageHash ? { kind: "accepted", runId, replayed: true } : keyReused();
}

function whyNotNow(conversation: ConversationState | null, ifActive: IfActive): Refused | null {
  if (!conversation || conversation.activeRun === null) return null;
  if (ifActive === "reject")
    return refused(
      "conversation_busy",
      `The run ${conversation.activeRun} is active in this conversation.`,
      'Send the message when it has ended, or with "ifActive" "enqueue" or "interrupt".',
    );
  if (conversation.queue.length < MAX_QUEUED_RUNS) return null;
  return refused("queue_full", `${MAX_QUEUED_RUNS} messages wait in this conversation, the maximum.`, "Send it when some are done.");
}

function notOneText(): Refused {
  const message = "needs content, and no text with another value";
  return refused("invalid_request", "A message has one text.", 'Send {"content": "…"}.', [{ path: "/content", message }]);
}

function onlyTheOwner(): Refused {
  return refused("forbidden", "Only its owner sends messages in a conversation.", "Create your own conversation.");
}
