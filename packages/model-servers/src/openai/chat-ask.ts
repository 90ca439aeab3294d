import type { Json, JsonObject } from "@toolbus/contracts";
import type { Asked, AskedMessage } from "../model-server.ts";
import { listOf, objectOf, parsed, textOf } from "../wire/fields.ts";
import type { Arrived } from "../wire/protocol.ts";
import type { ChatVendor } from "./chat-vendor.ts";

/** A request for a chat completion in the form that the rules read. */
export interface ChatAsk {
  readonly vendor: ChatVendor;
  readonly request: Arrived;
  readonly body: JsonObject;
  readonly messages: readonly JsonObject[];
  /** The `function` of every tool. */
  readonly functions: readonly JsonObject[];
}

export function chatAsk(vendor: ChatVendor, request: Arrived): ChatAsk {
  const body = objectOf(request.body);
  return {
    vendor,
    request,
    body,
    messages: listOf(body["messages"]).map(objectOf),
    functions: listOf(body["tools"]).map((tool) => objectOf(objectOf(tool)["function"])),
  };
}

export function toolCallsOf(message: JsonObject): readonly JsonObject[] {
  return listOf(message["tool_calls"]).map(objectOf);
}

export function contentText(content: Json | undefined): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => textOf(objectOf(part)["text"]))
    .join("");
}

/** Returns the request in the form that brains read. */
export function askedOfChat({ body, messages, functions }: ChatAsk): Asked {
  const limit = body["max_completion_tokens"] ?? body["max_tokens"];
  return {
    model: textOf(body["model"]),
    system: messages
      .filter(isSystem)
      .map((message) => contentText(message["content"]))
      .join("\n"),
    messages: messages.filter((message) => !isSystem(message)).map(askedMessage),
    tools: functions.map((tool) => ({
      name: textOf(tool["name"]),
      description: textOf(tool["description"]),
      schema: objectOf(tool["parameters"]),
      strict: tool["strict"] === true,
    })),
    toolChoice: choiceOf(body["tool_choice"]),
    parallelCalls: body["parallel_tool_calls"] !== false,
    maxTokens: typeof limit === "number" ? limit : null,
  };
}

function isSystem(message: JsonObject): boolean {
  return message["role"] === "system" || message["role"] === "developer";
}

function askedMessage(message: JsonObject): AskedMessage {
  const text = contentText(message["content"]);
  if (message["role"] === "tool") return { role: "tool", id: textOf(message["tool_call_id"]), content: text, isError: false };
  if (message["role"] !== "assistant") return { role: "user", text };
  const calls = toolCallsOf(message).map((call) => {
    const { name, arguments: raw } = objectOf(call["function"]);
    return { id: textOf(call["id"]), name: textOf(name), arguments: parsed(textOf(raw)) ?? textOf(raw) };
  });
  return { role: "assistant", text, calls };
}

function choiceOf(choice: Json | undefined): Asked["toolChoice"] {
  if (choice === "none" || choice === "required") return choice;
  const name = textOf(objectOf(objectOf(choice)["function"])["name"]);
  return name === "" ? "auto" : { name };
}
