import type { Json, JsonObject } from "@toolbus/contracts";
import type { Asked, AskedMessage } from "../model-server.ts";
import { listOf, objectOf, textOf } from "../wire/fields.ts";
import type { Arrived } from "../wire/protocol.ts";

/** A request to Converse or ConverseStream in the form that the rules read. */
export interface BedrockAsk {
  readonly request: Arrived;
  readonly body: JsonObject;
  readonly model: string;
  readonly operation: string;
  readonly messages: readonly { readonly role: string; readonly blocks: readonly JsonObject[] }[];
  /** The `toolSpec` of every tool. */
  readonly specs: readonly JsonObject[];
}

export function bedrockAsk(request: Arrived): BedrockAsk {
  const body = objectOf(request.body);
  const path = /^\/model\/(.+)\/(converse|converse-stream)$/.exec(request.path);
  return {
    request,
    body,
    model: path?.[1] ?? "",
    operation: path?.[2] ?? "",
    messages: listOf(body["messages"])
      .map(objectOf)
      .map((message) => ({ role: textOf(message["role"]), blocks: listOf(message["content"]).map(objectOf) })),
    specs: listOf(objectOf(body["toolConfig"])["tools"])
      .map(objectOf)
      .filter((tool) => !("cachePoint" in tool))
      .map((tool) => objectOf(tool["toolSpec"])),
  };
}

/** Returns the content of the blocks of one kind, such as `toolUse`. */
export function blocksOf({ blocks }: BedrockAsk["messages"][number], kind: string): readonly JsonObject[] {
  return blocks.filter((block) => kind in block).map((block) => objectOf(block[kind]));
}

/** Returns the request in the form that brains read. */
export function askedOfBedrock({ body, model, messages, specs }: BedrockAsk): Asked {
  const limit = objectOf(body["inferenceConfig"])["maxTokens"];
  return {
    model,
    system: textIn(body["system"]),
    messages: messages.flatMap(askedMessages),
    tools: specs.map((spec) => ({
      name: textOf(spec["name"]),
      description: textOf(spec["description"]),
      schema: objectOf(objectOf(spec["inputSchema"])["json"]),
      strict: spec["strict"] === true,
    })),
    toolChoice: choiceOf(objectOf(objectOf(body["toolConfig"])["toolChoice"])),
    parallelCalls: objectOf(objectOf(body["additionalModelRequestFields"])["tool_choice"])["disable_parallel_tool_use"] !== true,
    maxTokens: typeof limit === "number" ? limit : null,
  };
}

function askedMessages(message: BedrockAsk["messages"][number]): readonly AskedMessage[] {
  const text = textIn(message.blocks);
  if (message.role === "assistant") {
    const calls = blocksOf(message, "toolUse").map((block) => ({
      id: textOf(block["toolUseId"]),
      name: textOf(block["name"]),
      arguments: block["input"] ?? null,
    }));
    return [{ role: "assistant", text, calls }];
  }
  const results = blocksOf(message, "toolResult").map((block): AskedMessage => ({
    role: "tool",
    id: textOf(block["toolUseId"]),
    content: listOf(block["content"]).map(resultText).join(""),
    isError: block["status"] === "error",
  }));
  return text === "" ? results : [...results, { role: "user", text }];
}

function resultText(part: Json): string {
  const { json, text } = objectOf(part);
  return json === undefined ? textOf(text) : JSON.stringify(json);
}

function textIn(blocks: Json | undefined): string {
  return listOf(blocks)
    .map((block) => textOf(objectOf(block)["text"]))
    .join("");
}

function choiceOf(choice: JsonObject): Asked["toolChoice"] {
  if ("any" in choice) return "required";
  return "tool" in choice ? { name: textOf(objectOf(choice["tool"])["name"]) } : "auto";
}
