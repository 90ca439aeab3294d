import type { TranscriptEntry } from "@toolbus/contracts";
import type { ModelProvider } from "@toolbus/models";
import { chat, type ChatMessage } from "./chat-client.ts";

/** Callbacks for the beginning and the end of a model call. */
export interface ModelWitness {
  asked(): void;
  answered(): void;
}

/** Makes a model provider for the agent from the bare client. The provider only converts the transcript to chat messages. */
export function chatProvider(url: string, witness?: ModelWitness): ModelProvider {
  return {
    name: "stub",
    model: "stub-1",
    dialect: "any",
    capabilities: {
      tools: true,
      streaming: false,
      vision: false,
      sampling: true,
      contextTokens: 200_000,
      maxOutputTokens: 65_536,
      resultChars: 64_000,
    },
    estimateTokens: (entries) => entries.length,
    async complete({ system, transcript, tools }, { signal, onText }) {
      witness?.asked();
      const { model, message, usage } = await chat(url, [{ role: "system", content: system }, ...transcript.map(messageOf)], tools, signal);
      witness?.answered();
      const { content, tool_calls: calls = [] } = message;
      if (content) onText(content);
      return {
        text: content ?? "",
        calls: calls.map(({ id, function: { name, arguments: text } }) => ({ id, name, arguments: text })),
        stop: calls.length > 0 ? "tool_use" : "end_turn",
        usage: { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens },
        model,
      };
    },
  };
}

function messageOf(entry: TranscriptEntry): ChatMessage {
  switch (entry.type) {
    case "user":
      return { role: "user", content: entry.text };
    case "result":
      return { role: "tool", tool_call_id: entry.id, content: entry.content };
    case "assistant": {
      const calls = entry.calls.map(({ id, name, arguments: text }) => ({
        id,
        type: "function" as const,
        function: { name, arguments: text },
      }));
      return { role: "assistant", content: entry.text || null, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
    }
  }
}
