import {
  type ConversationOrigin,
  type ConversationState,
  isConversationId,
  keys,
  parseConversationOrigin,
  parseConversationState,
} from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { isShardOf } from "./own-shard.ts";
import { orProblem, refused, type Refused } from "./refused.ts";

export interface OwnConversation {
  readonly kind: "found";
  readonly now: number;
  /** Of the gateway's own document. */
  readonly version: number;
  readonly origin: ConversationOrigin;
  /** Null until the agent has taken its first message. */
  readonly state: ConversationState | null;
}

/**
 * The conversation, if the principal may see it: its own, or as an operator any of the tenant. Everything else is "not found", so that nobody learns what
 * exists.
 */
export async function findConversation(
  state: StateStore,
  conversationId: string,
  principal: Principal,
): Promise<OwnConversation | Refused> {
  if (!isConversationId(conversationId) || !isShardOf(state, conversationId)) return noConversation(conversationId);
  const { now, documents } = await state.read([keys.conversationOrigin(conversationId), keys.conversation(conversationId)]);
  const origin = parseConversationOrigin(documents[0]?.value);
  if (!origin.ok || origin.value.tenant !== principal.tenant || origin.value.deletedAt !== undefined) return noConversation(conversationId);
  if (origin.value.owner !== principal.id && !principal.roles.includes("operator")) return noConversation(conversationId);
  const stored = parseConversationState(documents[1]?.value);
  return { kind: "found", now, version: documents[0]?.version ?? 0, origin: origin.value, state: stored.ok ? stored.value : null };
}

/** The conversation that the caller may see. Throws the problem if there is none. */
export async function ownConversation(state: StateStore, conversationId: string, principal: Principal): Promise<OwnConversation> {
  return orProblem(await findConversation(state, conversationId, principal));
}

export function noConversation(id: string): Refused {
  return refused(
    "not_found",
    `There is no conversation "${id.slice(0, 80)}" for this key.`,
    "Use the id that POST /v1/conversations gave, with the key that created it.",
  );
}
