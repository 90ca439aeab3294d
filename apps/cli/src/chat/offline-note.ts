import { readContext } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { Failure } from "../toolbus/failure.ts";

const NOTE =
  "(The offline rules answer, not a language model: to set one, start Toolbus with ANTHROPIC_API_KEY, OPENAI_API_KEY or LLM_PROVIDER; docs/models.md.)";

/**
 * A line for users who talk to the offline rules because nobody has set a model; null for a conversation with a model, or with a profile that asks for the
 * rules.
 */
export async function offlineNote(gateway: Client, conversationId: string): Promise<string | null> {
  try {
    const { provider, profile } = readContext(await gateway.get(`/v1/conversations/${conversationId}/context`));
    return provider === "offline" && profile !== "direct" ? NOTE : null;
  } catch (error) {
    // It is only a hint: the conversation continues without it.
    if (error instanceof Failure) return null;
    throw error;
  }
}
