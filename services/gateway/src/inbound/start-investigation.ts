import { type ConversationOrigin, derivedIds, type InvestigationRequest, newConversationId, newRunId, shardOf } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import { acceptMessage } from "../accept.ts";
import { isRefused, refused, type Refused } from "../refused.ts";
import { type Inbound, newRequestId, type Request, type Starting } from "./inbound.ts";
import { type Subject, subjectOf } from "./investigation-subject.ts";
import { requestHash } from "./request-hash.ts";
import { acceptedBefore, begun, type MessageAccepted } from "./send-message.ts";

const ROUTE = "POST /v1/investigations";
const TRIES = 3;

/** The values by which a repeat of a request is recognised. */
export interface Known {
  /** The scope of the name. The same name on another route is another run. */
  readonly route: string;
  /** The run's name. It is the same in every repeat. Without a name, each request is a separate run. */
  readonly name: string | undefined;
  /** The hash of the request under this name. A different request under the same name is refused. */
  readonly hash: string;
}

/** Starts an investigation of a release or of an alert, in its own conversation. The key or `known` identifies a repeat. */
export async function startInvestigation(
  inbound: Starting,
  { key, body, known, ...request }: Request & { readonly body: InvestigationRequest; readonly known?: Known },
): Promise<MessageAccepted | Refused> {
  const subject = subjectOf(body);
  if (subject.kind === "refused") return subject;
  const byKey = { route: ROUTE, name: key, hash: requestHash(body) };
  return startSubject(inbound, { ...request, subject, known: known ?? byKey });
}

/** Starts a run about this subject, in its own conversation. `now` is the store's time, if the caller has just read it. */
export async function startSubject(
  inbound: Starting,
  {
    principal,
    traceparent,
    subject,
    known,
    now: read,
  }: Omit<Request, "key"> & { readonly subject: Subject; readonly known: Known; readonly now?: number },
): Promise<MessageAccepted | Refused> {
  const { state, outbox, config, identity, underWay } = inbound;
  const { profile, text, input } = subject;
  const { conversationId, runId } = idsOf(inbound, principal, known);
  const now = read ?? (await state.read([])).now;
  const origin: ConversationOrigin = { conversationId, tenant: principal.tenant, owner: principal.id, profile, createdAt: now };
  const conversation = { version: 0, value: origin };
  const { hash: messageHash } = known;
  const message = { now, principal, requestId: newRequestId(inbound), runId, conversation, text, input, messageHash, traceparent };
  const commit = async () => {
    const { change, wake, origin: started } = await acceptMessage({ ...message, ifActive: "enqueue" }, config, identity);
    return { ...(await outbox.commit(shardOf(runId), change, [wake])), started };
  };
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const reply = await underWay.within(principal, runId, commit);
    if (!isRefused(reply) && reply.outcome === "ok") return begun(reply.started, reply.now);
    const before = await acceptedBefore(inbound, runId, messageHash);
    if (before) return before;
    if (isRefused(reply)) return reply;
    // A store that has lost writes of this shard refuses a commit once to report the loss. Then it accepts the same commit.
  }
  return refused("conflict", "The request could not be stored; nothing was accepted.", "Repeat it.");
}

/** Returns the run and the conversation of a principal's request with this name. They are the same for every repeat. Without a name, they are new. */
export function idsOf(
  { state, clock, random }: Pick<Inbound, "state" | "clock" | "random">,
  { tenant, id }: Principal,
  { route, name }: Known,
): { readonly conversationId: string; readonly runId: string } {
  if (name !== undefined) return derivedIds({ tenant, principal: id, route, key: name }, state.shards);
  const conversationId = newConversationId({ now: clock(), random: random(32) }, state.shards);
  return { conversationId, runId: newRunId({ now: clock(), random: random(32) }, conversationId) };
}
