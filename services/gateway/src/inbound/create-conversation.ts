import {
  type ConversationOrigin,
  type ConversationRequest,
  derivedIds,
  keys,
  newConversationId,
  parseConversationOrigin,
  parseProfileList,
  shardOf,
} from "@toolbus/contracts";
import { keyReused, refused, type Refused } from "../refused.ts";
import { acceptConversation } from "../accept.ts";
import { type Inbound, newRequestId, type Request } from "./inbound.ts";

export interface ConversationCreated {
  readonly kind: "created";
  readonly origin: ConversationOrigin;
  /** Whether an earlier request with the same key was accepted. */
  readonly replayed: boolean;
}

export const DEFAULT_PROFILE = "chat";
const ROUTE = "POST /v1/conversations";
const TRIES = 3;

/** Creates a conversation of this principal. If an agent has announced its profiles, an unknown profile is refused. */
export async function createConversation(
  inbound: Inbound,
  { principal, key, body }: Request & { readonly body: ConversationRequest },
): Promise<ConversationCreated | Refused> {
  const { state, outbox, config, random, clock } = inbound;
  const profile = body.profile ?? DEFAULT_PROFILE;
  const { now, documents } = await state.read([keys.profiles(config.AGENT_NAME)]);
  const unknown = unknownProfile(profile, documents[0]?.value);
  if (unknown) return unknown;
  const conversationId =
    key === undefined
      ? newConversationId({ now: clock(), random: random(32) }, state.shards)
      : derivedIds({ tenant: principal.tenant, principal: principal.id, route: ROUTE, key }, state.shards).conversationId;
  const origin: ConversationOrigin = { conversationId, tenant: principal.tenant, owner: principal.id, profile, createdAt: now };
  const accepting = acceptConversation(origin, newRequestId(inbound));
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const { outcome } = await outbox.commit(shardOf(conversationId), accepting);
    if (outcome === "ok") return { kind: "created", origin, replayed: false };
    const { documents: stored } = await state.read([keys.conversationOrigin(conversationId)]);
    const first = parseConversationOrigin(stored[0]?.value);
    if (first.ok && first.value.deletedAt !== undefined)
      return refused("expired", "The conversation of this Idempotency-Key was deleted.", "Begin a new one, with another key.");
    if (first.ok) return first.value.profile === profile ? { kind: "created", origin: first.value, replayed: true } : keyReused();
    // A store that has lost writes of this shard refuses a commit once to report the loss. Then it accepts the same commit.
  }
  return refused("conflict", "The conversation could not be stored; nothing was accepted.", "Repeat the request.");
}

/** Returns the refusal of a profile that the agent has not announced. `document` is the list of its profiles as it is stored. */
export function unknownProfile(profile: string, document: unknown): Refused | null {
  const list = parseProfileList(document);
  // An agent that has never started has not announced its profiles. Such an agent judges the profile itself when it takes the first message.
  if (!list.ok || list.value.profiles.some(({ name }) => name === profile)) return null;
  const names = list.value.profiles.map(({ name }) => name).join(", ");
  return refused("invalid_request", `There is no profile "${profile}".`, `Use one of these: ${names || "none"}.`, [
    { path: "/profile", message: "must be one of the agent's profiles" },
  ]);
}
