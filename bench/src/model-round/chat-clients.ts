import OpenAI from "openai";
import type {
  ChatCompletionChunk,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type { TranscriptEntry } from "@toolbus/contracts";
import type { ModelRequest } from "@toolbus/models";
import type { ModelClient } from "./adapter-call.ts";
import { readEvents } from "./read-events.ts";
import { API_KEY, MODEL, openaiUrl } from "./round.ts";

/** Makes a client that requests streamed chat completions over `fetch` alone. */
export function bareChat(modelUrl: string): ModelClient {
  const url = `${openaiUrl({ modelUrl })}/chat/completions`;
  return {
    async ask(request) {
      const turn = turnReader();
      for await (const data of readEvents(url, chatBody(request), { authorization: `Bearer ${API_KEY}` }))
        if (data !== "[DONE]") turn.read(JSON.parse(data) as ChatCompletionChunk);
      return turn;
    },
  };
}

/** Makes the same requests with OpenAI's own client. */
export function sdkChat(modelUrl: string): ModelClient {
  const client = new OpenAI({ apiKey: API_KEY, baseURL: openaiUrl({ modelUrl }), maxRetries: 0 });
  return {
    async ask(request) {
      const turn = turnReader();
      for await (const chunk of await client.chat.completions.create(chatBody(request))) turn.read(chunk);
      return turn;
    },
  };
}

function turnReader() {
  const turn = {
    text: "",
    calls: [] as { id: string; name: string; arguments: string }[],
    read({ choices }: ChatCompletionChunk): void {
      const delta = choices[0]?.delta;
      if (delta?.content) turn.text += delta.content;
      for (const { index, id, function: made } of delta?.tool_calls ?? []) {
        const call = (turn.calls[index] ??= { id: "", name: "", arguments: "" });
        call.id += id ?? "";
        call.name += made?.name ?? "";
        call.arguments += made?.arguments ?? "";
      }
    },
  };
  return turn;
}

function chatBody({ system, transcript, tools, maxTokens }: ModelRequest): ChatCompletionCreateParamsStreaming {
  return {
    model: MODEL,
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: maxTokens,
    messages: [{ role: "system", content: system }, ...transcript.map(chatMessage)],
    tools: tools.map(({ name, description, parameters }) => ({ type: "function", function: { name, description, parameters } })),
  };
}

function chatMessage(entry: TranscriptEntry): ChatCompletionMessageParam {
  switch (entry.type) {
    case "user":
      return { role: "user", content: entry.text };
    case "result":
      return { role: "tool", tool_call_id: entry.id, content: entry.content };
    case "assistant":
      return {
        role: "assistant",
        content: entry.text || null,
        tool_calls: entry.calls.map(({ id, name, arguments: text }) => ({ id, type: "function", function: { name, arguments: text } })),
      };
  }
}
