import type { JsonObject, TranscriptEntry } from "@toolbus/contracts";
import type { ModelRequest } from "@toolbus/models";
import type { ModelClient } from "./adapter-call.ts";
import { readEvents } from "./read-events.ts";
import { API_KEY, MODEL } from "./round.ts";

/** Makes a client that requests streamed turns of Anthropic's messages over `fetch` alone. */
export function bareMessages(modelUrl: string): ModelClient {
  const headers = { "x-api-key": API_KEY, "anthropic-version": "2023-06-01" };
  return {
    async ask(request) {
      let text = "";
      const calls: { id: string; name: string; arguments: string }[] = [];
      for await (const data of readEvents(`${modelUrl}/v1/messages`, messagesBody(request), headers)) {
        const event = JSON.parse(data) as MessageEvent;
        if (event.content_block?.type === "tool_use")
          calls.push({ id: event.content_block.id ?? "", name: event.content_block.name ?? "", arguments: "" });
        text += event.delta?.text ?? "";
        const call = calls.at(-1);
        if (call) call.arguments += event.delta?.partial_json ?? "";
      }
      return { text, calls };
    },
  };
}

interface MessageEvent {
  readonly content_block?: { readonly type: string; readonly id?: string; readonly name?: string };
  readonly delta?: { readonly text?: string; readonly partial_json?: string };
}

function messagesBody({ system, transcript, tools, maxTokens }: ModelRequest): object {
  return {
    model: MODEL,
    stream: true,
    max_tokens: maxTokens,
    system,
    messages: transcript.map(message),
    tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
  };
}

function message(entry: TranscriptEntry): object {
  switch (entry.type) {
    case "user":
      return { role: "user", content: entry.text };
    case "result":
      return { role: "user", content: [{ type: "tool_result", tool_use_id: entry.id, content: entry.content }] };
    case "assistant": {
      const used = entry.calls.map(({ id, name, arguments: text }) => ({
        type: "tool_use",
        id,
        name,
        input: JSON.parse(text) as JsonObject,
      }));
      return { role: "assistant", content: used };
    }
  }
}
