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
  /** The version of the gateway's own document. */
  readonly version: number;
  readonly origin: ConversationOrigin;
  /** The agent's state of the conversation. It is null until the agent has taken the first message. */
  readonly state: ConversationState | null;
}

/**
 * Returns the conversation if the principal may see it. A principal may see its own conversations. An operator may see all conversations of the
 * tenant. Everything else is "not found", so that nobody learns what exists.
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

/** Returns the conversation if the caller may see it. Otherwise throws the problem. */
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
