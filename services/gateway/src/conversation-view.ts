import type { ConversationView } from "@toolbus/contracts";
import type { OwnConversation } from "./conversation-access.ts";

export function conversationView({ origin, state }: Pick<OwnConversation, "origin" | "state">): ConversationView {
  const { conversationId, profile, owner, createdAt } = origin;
  const self = `/v1/conversations/${conversationId}`;
  return {
    conversationId,
    profile,
    owner,
    createdAt,
    activeRun: state?.activeRun ?? null,
    queued: state?.queue.map(({ runId }) => runId) ?? [],
    runs: state?.runs ?? 0,
    links: { self, messages: `${self}/messages`, context: `${self}/context` },
  };
}
