import { type ConversationPage, type ConversationView, keys, parseConversationOrigin, parseConversationState } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { conversationView } from "./conversation-view.ts";
import { newestIn } from "./index-page.ts";
import { principalHash } from "./principal-hash.ts";

/** The search for one page ends after about this number of conversations. */
const LOOKED_AT = 500;

/** Returns the index of this principal's conversations, sorted by when they began. */
export function conversationsOf(principal: Pick<Principal, "tenant" | "id">): string {
  return keys.conversationIndex(principalHash(principal));
}

/**
 * Returns a page of the caller's own conversations, newest first. Expired conversations are skipped. So a page may have fewer conversations than its
 * limit, or none, although another page follows. Throws the problem for a cursor that no page returned.
 */
export async function conversationPage(
  state: Pick<StateStore, "page" | "read">,
  principal: Principal,
  wanted: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<ConversationPage> {
  const { limit } = wanted;
  const conversations: ConversationView[] = [];
  let cursor = wanted.cursor;
  for (let looked = 0; looked < LOOKED_AT;) {
    const page = await newestIn(state, conversationsOf(principal), { limit: limit - conversations.length, cursor });
    const ids = page.members.map(({ member }) => member);
    const { documents } = await state.read(ids.flatMap((id) => [keys.conversationOrigin(id), keys.conversation(id)]));
    conversations.push(...ids.flatMap((_id, i) => viewOf(documents[2 * i]?.value, documents[2 * i + 1]?.value, principal)));
    ({ cursor } = page);
    if (cursor === undefined || conversations.length >= limit) break;
    looked += Math.max(1, ids.length);
  }
  return { conversations, ...(cursor === undefined ? {} : { cursor }) };
}

function viewOf(own: unknown, agents: unknown, { tenant, id }: Principal): ConversationView[] {
  const origin = parseConversationOrigin(own);
  if (!origin.ok || origin.value.tenant !== tenant || origin.value.owner !== id || origin.value.deletedAt !== undefined) return [];
  const state = parseConversationState(agents);
  return [conversationView({ origin: origin.value, state: state.ok ? state.value : null })];
}
