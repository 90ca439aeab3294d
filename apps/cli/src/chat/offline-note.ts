import { readContext } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { Failure } from "../toolbus/failure.ts";

const NOTE =
  "(The offline rules answer, not a language model: to set one, start Toolbus with ANTHROPIC_API_KEY, OPENAI_API_KEY or LLM_PROVIDER; docs/models.md.)";

/**
 * Returns a line that tells users that the offline rules answer them because nobody has configured a model. Returns null if a model answers or the
 * profile asks for the rules.
 */
export async function offlineNote(gateway: Client, conversationId: string): Promise<string | null> {
  try {
    const { provider, profile } = readContext(await gateway.get(`/v1/conversations/${conversationId}/context`));
    return provider === "offline" && profile !== "direct" ? NOTE : null;
  } catch (error) {
    // The note is only a hint, so the conversation continues without it.
    if (error instanceof Failure) return null;
    throw error;
  }
}
