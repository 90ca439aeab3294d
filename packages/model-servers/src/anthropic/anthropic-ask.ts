import type { Json, JsonObject } from "@toolbus/contracts";
import type { Asked, AskedMessage } from "../model-server.ts";
import { listOf, objectOf, textOf } from "../wire/fields.ts";
import type { Arrived } from "../wire/protocol.ts";

/** A request to the Messages API in the form that the rules read. */
export interface AnthropicAsk {
  readonly request: Arrived;
  readonly version: string;
  readonly body: JsonObject;
  readonly messages: readonly Message[];
  readonly tools: readonly JsonObject[];
  /** True for token counting, which accepts no `max_tokens`. */
  readonly counting: boolean;
  readonly thinking: boolean;
  readonly memory: Memory;
}

/** The vendor's knowledge about its own turns when a client sends them back. The vendor reads it from signatures, but this server stores it. */
export interface Memory {
  /** The content of turns that ended in a pause, as JSON. A conversation may end with a paused turn. */
  readonly paused: Set<string>;
  /** The signature of the thinking that preceded a call, by the call's id. */
  readonly thought: Map<string, string>;
}

export interface Message {
  readonly role: string;
  /** The content as it arrived. */
  readonly content: Json | undefined;
  /** The content as blocks. A text is one text block. */
  readonly blocks: readonly JsonObject[];
}

export function anthropicAsk(request: Arrived, counting: boolean, memory: Memory): AnthropicAsk {
  const body = objectOf(request.body);
  return {
    request,
    counting,
    memory,
    version: request.headers["anthropic-version"] ?? "",
    body,
    messages: listOf(body["messages"]).map((message) => messageOf(objectOf(message))),
    tools: listOf(body["tools"]).map(objectOf),
    thinking: ["enabled", "adaptive"].includes(textOf(objectOf(body["thinking"])["type"])),
  };
}

/**
 * Returns a paused turn in the form of `Memory.paused`. It contains only texts and call ids, because other members of a block may change on the way
 * back.
 */
export function pausedTurn(blocks: readonly JsonObject[]): string {
  return JSON.stringify(blocks.map(({ type, text, id }) => [type, text ?? id ?? null]));
}

export function blocksOf(message: Message, type: string): readonly JsonObject[] {
  return message.blocks.filter((block) => block["type"] === type);
}

/** Returns the request in the form that brains read. */
export function askedOfAnthropic({ body, messages, tools }: AnthropicAsk): Asked {
  const choice = objectOf(body["tool_choice"]);
  return {
    model: textOf(body["model"]),
    system: textIn(body["system"]),
    messages: messages.flatMap(askedMessages),
    tools: tools.map((tool) => ({
      name: textOf(tool["name"]),
      description: textOf(tool["description"]),
      schema: objectOf(tool["input_schema"]),
      strict: tool["strict"] === true,
    })),
    toolChoice: choiceOf(choice),
    parallelCalls: choice["disable_parallel_tool_use"] !== true,
    maxTokens: typeof body["max_tokens"] === "number" ? body["max_tokens"] : null,
  };
}

function messageOf(message: JsonObject): Message {
  const content = message["content"];
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(objectOf);
  return { role: textOf(message["role"]), content, blocks };
}

function askedMessages(message: Message): readonly AskedMessage[] {
  const text = blocksOf(message, "text")
    .map((block) => textOf(block["text"]))
    .join("");
  if (message.role === "assistant") {
    const calls = blocksOf(message, "tool_use").map((block) => ({
      id: textOf(block["id"]),
      name: textOf(block["name"]),
      arguments: block["input"] ?? null,
    }));
    return [{ role: "assistant", text, calls }];
  }
  const results = blocksOf(message, "tool_result").map((block): AskedMessage => ({
    role: "tool",
    id: textOf(block["tool_use_id"]),
    content: textIn(block["content"]),
    isError: block["is_error"] === true,
  }));
  return text === "" ? results : [...results, { role: "user", text }];
}

function textIn(content: Json | undefined): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((block) => textOf(objectOf(block)["text"]))
    .join("");
}

function choiceOf(choice: JsonObject): Asked["toolChoice"] {
  switch (choice["type"]) {
    case "none":
      return "none";
    case "any":
      return "required";
    case "tool":
      return { name: textOf(choice["name"]) };
    default:
      return "auto";
  }
}
