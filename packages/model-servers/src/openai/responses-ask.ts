import type { Json, JsonObject } from "@toolbus/contracts";
import type { Asked, AskedMessage } from "../model-server.ts";
import { listOf, objectOf, parsed, textOf } from "../wire/fields.ts";
import type { Arrived } from "../wire/protocol.ts";
import { contentText } from "./chat-ask.ts";
import type { ChatVendor } from "./chat-vendor.ts";

/** A request for a response in the form that the rules read. */
export interface ResponsesAsk {
  readonly vendor: ChatVendor;
  readonly request: Arrived;
  readonly body: JsonObject;
  /** The input as items. A text is one message. */
  readonly items: readonly JsonObject[];
  readonly functions: readonly JsonObject[];
  readonly memory: ResponsesMemory;
}

/** The id of the reasoning item before each call, by the id of the call item. */
export type ResponsesMemory = Map<string, string>;

export function responsesAsk(vendor: ChatVendor, request: Arrived, memory: ResponsesMemory): ResponsesAsk {
  const body = objectOf(request.body);
  const { input } = body;
  return {
    vendor,
    request,
    body,
    memory,
    items: typeof input === "string" ? [{ role: "user", content: input }] : listOf(input).map(objectOf),
    functions: listOf(body["tools"])
      .map(objectOf)
      .filter((tool) => tool["type"] === "function"),
  };
}

export function isMessage(item: JsonObject): boolean {
  return item["type"] === "message" || (item["type"] === undefined && "role" in item);
}

/** Returns the request in the form that brains read. Adjacent calls are one turn with the text before them. */
export function askedOfResponses({ body, items, functions }: ResponsesAsk): Asked {
  const system = items.filter((item) => isMessage(item) && isSystem(item)).map((item) => contentText(item["content"]));
  const limit = body["max_output_tokens"];
  return {
    model: textOf(body["model"]),
    system: [textOf(body["instructions"]), ...system].filter((text) => text !== "").join("\n"),
    messages: items.reduce<readonly AskedMessage[]>(withItem, []),
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

function withItem(messages: readonly AskedMessage[], item: JsonObject): readonly AskedMessage[] {
  if (item["type"] === "function_call_output")
    return [...messages, { role: "tool", id: textOf(item["call_id"]), content: contentText(item["output"]), isError: false }];
  if (item["type"] === "function_call") {
    const raw = textOf(item["arguments"]);
    const call = { id: textOf(item["call_id"]), name: textOf(item["name"]), arguments: parsed(raw) ?? raw };
    const last = messages.at(-1);
    return last?.role === "assistant"
      ? [...messages.slice(0, -1), { ...last, calls: [...last.calls, call] }]
      : [...messages, { role: "assistant", text: "", calls: [call] }];
  }
  if (!isMessage(item) || isSystem(item)) return messages;
  const text = contentText(item["content"]);
  return [...messages, item["role"] === "assistant" ? { role: "assistant", text, calls: [] } : { role: "user", text }];
}

function isSystem({ role }: JsonObject): boolean {
  return role === "system" || role === "developer";
}

function choiceOf(choice: Json | undefined): Asked["toolChoice"] {
  if (choice === "none" || choice === "required") return choice;
  const name = textOf(objectOf(choice)["name"]);
  return name === "" ? "auto" : { name };
}
