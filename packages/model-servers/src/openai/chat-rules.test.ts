import type { Json, JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import type { Served } from "../model-server.ts";
import { startModelServer } from "../start-model-server.ts";
import { CHAT_VENDORS, type ChatVendor } from "./chat-vendor.ts";
import { chatRules } from "./chat-rules.ts";
import { openaiDoorRules } from "./openai-door-rules.ts";

interface Request {
  readonly headers: Record<string, string>;
  readonly body: Record<string, Json>;
  text?: string;
}
type Change = (request: Request) => void;

const parameters = {
  type: "object",
  properties: { release_id: { type: "string" } },
  required: ["release_id"],
  additionalProperties: false,
};
const tool = (more: JsonObject = {}): JsonObject => ({
  type: "function",
  function: { name: "get_release_summary", description: "Reads one.", parameters, ...more },
});
const call = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  type: "function",
  function: { name: "get_release_summary", arguments: "{}", ...more },
});
const asks = (...calls: readonly JsonObject[]): JsonObject => ({ role: "assistant", content: null, tool_calls: calls });
const answers = (id: string): JsonObject => ({ role: "tool", tool_call_id: id, content: "fine" });
const user: JsonObject = { role: "user", content: "go" };

const sends =
  (members: JsonObject): Change =>
  (request) =>
    void Object.assign(request.body, members);
const messages = (...list: readonly JsonObject[]): Change => sends({ messages: list });
const schema = (more: JsonObject, strict = false): Change => sends({ tools: [tool({ strict, parameters: { ...parameters, ...more } })] });
const strict = (properties: JsonObject, more: JsonObject = {}): Change =>
  schema({ properties, required: Object.keys(properties), ...more }, true);
const property = (inner: JsonObject): Change => schema({ properties: { release_id: inner } });
const without =
  (...members: readonly string[]): Change =>
  (request) => {
    for (const member of members) delete request.body[member];
  };
const both =
  (...changes: readonly Change[]): Change =>
  (request) => {
    for (const change of changes) change(request);
  };

function nested(levels: number): JsonObject {
  return levels === 0
    ? { type: "string" }
    : { type: "object", properties: { a: nested(levels - 1) }, required: ["a"], additionalProperties: false };
}

function many(count: number, of: (index: number) => Json): Record<string, Json> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, of(index)]));
}

/** The smallest change that breaks each rule, with the vendor that checks the rule if this is not OpenAI. */
const breaks: Readonly<Record<string, Change | readonly [ChatVendor["name"], Change]>> = {
  "key is given": (request) => delete request.headers["authorization"],
  "key is valid": (request) => (request.headers["authorization"] = "Bearer sk-other"),
  "body is a JSON object": (request) => (request.text = "[]"),
  "content type is JSON": (request) => (request.headers["content-type"] = "text/plain"),
  "known members only": sends({ max_token: 1 }),
  "model is given": without("model"),
  "model exists": sends({ model: "gpt-2" }),
  "model exists at OpenRouter": ["openrouter", sends({ model: "nobody/nothing" })],
  "max_completion_tokens for a reasoning model": sends({ max_tokens: 100 }),
  "token limit is a positive integer": sends({ max_completion_tokens: 0 }),
  "no sampling parameters for a reasoning model": sends({ temperature: 0.2 }),
  "temperature in range": ["compatible", sends({ temperature: 3 })],
  "stream_options only with stream": sends({ stream_options: { include_usage: true } }),
  "at least one message": messages(),
  "known roles": messages({ role: "robot", content: "x" }),
  "content is a string or a list": messages(user, { role: "assistant", content: null }),
  "tool_calls are not empty": messages(user, { role: "assistant", content: "x", tool_calls: [] }),
  "at most 128 tool calls per message": messages(user, asks(...Array.from({ length: 129 }, (_, index) => call(`call_${index}`)))),
  "tool calls have all members": messages(user, asks(call("")), answers("")),
  "arguments are a string": messages(user, asks(call("a", { arguments: {} })), answers("a")),
  "call ids have at most 40 characters": messages(user, asks(call("a".repeat(41))), answers("a".repeat(41))),
  "call ids of a turn are unique": messages(user, asks(call("a"), call("a")), answers("a")),
  "every call is answered directly after its turn": messages(user, asks(call("a"), call("b")), answers("a"), user, answers("b")),
  "every tool message answers a call of the turn before it": messages(user, asks(call("a")), answers("a"), answers("b")),
  "a call is answered only once": messages(user, asks(call("a")), answers("a"), answers("a")),
  "tools are not empty": sends({ tools: [] }),
  "at most 128 tools": sends({ tools: Array.from({ length: 129 }, (_, index) => tool({ name: `t${index}` })) }),
  "tools are functions": sends({ tools: [{ function: { name: "a" } }] }),
  "tool name pattern": sends({ tools: [tool({ name: "get.release" })] }),
  "tool name has at most 64 characters": sends({ tools: [tool({ name: "a".repeat(65) })] }),
  "tool description has at most 1024 characters": sends({ tools: [tool({ description: "a".repeat(1025) })] }),
  "tool names are unique": sends({ tools: [tool(), tool()] }),
  "tool_choice only with tools": both(without("tools"), sends({ tool_choice: "auto" })),
  "parallel_tool_calls only with tools": both(without("tools"), sends({ parallel_tool_calls: true })),
  "tool_choice is of a known form": sends({ tool_choice: "any" }),
  "tool_choice names a tool": sends({ tool_choice: { type: "function", function: { name: "another" } } }),
  "root of the parameters is an object": schema({ type: ["object", "null"] }),
  "no union at the root of the parameters": schema({ not: { required: ["a"] } }),
  "arrays have items": property({ type: "array" }),
  "parameters are JSON Schema": property({ type: "number", exclusiveMinimum: true }),
  "strict: only supported keywords": strict({
    a: { type: "object", properties: {}, required: [], additionalProperties: false, minProperties: 1 },
  }),
  "strict: no default": strict({ a: { type: "string", default: "x" } }),
  "strict: every schema has a type": strict({ a: { description: "anything" } }),
  "strict: objects are closed": strict({ a: { type: "string" } }, { additionalProperties: true }),
  "strict: every property is required": strict({ a: { type: "string" } }, { required: [] }),
  "strict: required names properties": strict({ a: { type: "string" } }, { required: ["a", "b"] }),
  "strict: $ref has no siblings and points into the schema": strict(
    { a: { $ref: "#/$defs/a", description: "x" } },
    { $defs: { a: { type: "string" } } },
  ),
  "strict: known formats": strict({ a: { type: "string", format: "uri" } }),
  "strict: at most 10 levels": strict({ a: nested(10) }),
  "strict: at most 5000 properties": strict(many(5001, () => ({ type: "string" }))),
  "strict: at most 1000 enum values": strict({ a: { type: "string", enum: Object.keys(many(1001, () => 1)) } }),
  "strict: a long enum has at most 15000 characters": strict({
    a: { type: "string", enum: Object.keys(many(251, () => 1)).map((key) => key.padEnd(60, "x")) },
  }),
  "strict: names and values have at most 120000 characters": strict({ a: { type: "string", const: "x".repeat(120_001) } }),
  "Gemini: function name begins with a letter": ["openrouter", sends({ tools: [tool({ name: "1st" })] })],
  "Gemini: only known keywords": ["openrouter", property({ const: "x" })],
  "Gemini: additionalProperties is false or absent": ["openrouter", property({ type: "object", additionalProperties: { type: "string" } })],
  "Gemini: type is one string": ["openrouter", property({ type: ["string", "null"] })],
  "Gemini: every schema has a type or anyOf": ["openrouter", property({ description: "anything" })],
  "Gemini: enum values are strings": ["openrouter", property({ type: "integer", enum: [1, 2] })],
  "Gemini: required names properties": ["openrouter", schema({ required: ["another"] })],
  "Gemini: known formats": ["openrouter", property({ type: "string", format: "uuid" })],
  "Ollama: type is one string": ["ollama", property({ type: ["string", "null"] })],
  "Ollama: properties are objects": ["ollama", schema({ properties: { release_id: true } })],
  "Ollama: required is a list of strings": ["ollama", schema({ required: {} })],
};

const setup = async (vendor: ChatVendor["name"]) => {
  const server = await startModelServer(vendor satisfies Served);
  const root = vendor === "ollama" ? `${server.url}/v1` : server.url;
  const good = (): Request => ({
    headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
    body: { model: server.model, messages: [user], tools: [tool()] },
  });
  const send = async ({ headers, body, text }: Request) => {
    const response = await fetch(`${root}/chat/completions`, { method: "POST", headers, body: text ?? JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as JsonObject };
  };
  const get = async (path: string) => (await fetch(server.url + path, { headers: good().headers })).json() as Promise<JsonObject>;
  return { server, good, send, get, [Symbol.asyncDispose]: () => server.close() };
};

describe("a server of chat completions", () => {
  const rules = [...openaiDoorRules, ...chatRules].map((rule) => [rule.name, rule.status] as const);
  it.each(rules)("refuses a request that breaks the rule: %s", async (name, status) => {
    const found = breaks[name];
    const [vendor, change] = typeof found === "function" ? (["openai", found] as const) : (found ?? (["openai", () => undefined] as const));
    await using bundle = await setup(vendor);
    const request = bundle.good();
    change(request);
    const answer = await bundle.send(request);
    expect(bundle.server.requests.at(-1)?.refusal?.slice(0, name.length + 2)).toBe(`${name}: `);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error: { message: expect.any(String) as string } });
  });

  it.each([
    ["openai", "a strict tool with a nullable member", strict({ a: { type: ["string", "null"], enum: ["x", null] } })],
    ["openai", "a strict tool as deep as may be", strict({ a: nested(9) })],
    [
      "openai",
      "a strict tool that refers to itself",
      strict({ a: { anyOf: [{ $ref: "#/$defs/n" }, { type: "null" }] } }, { $defs: { n: nested(2) } }),
    ],
    ["openai", "calls that are answered in any order", messages(user, asks(call("a"), call("b")), answers("b"), answers("a"), user)],
    ["openai", "a tool without parameters", sends({ tools: [{ type: "function", function: { name: "now" } }] })],
    [
      "openai",
      "a named choice, one call at a time",
      sends({ tool_choice: { type: "function", function: { name: "get_release_summary" } }, parallel_tool_calls: false }),
    ],
    ["openai", "usage in a stream's last chunk", sends({ tool_choice: "auto", max_completion_tokens: 5 })],
    [
      "openrouter",
      "a union inside and a closed object",
      property({
        anyOf: [
          { type: "string", format: "date-time" },
          { type: "array", items: { type: "string", enum: ["a"] } },
        ],
      }),
    ],
    ["ollama", "max_tokens and no key at all", both(sends({ max_tokens: 5 }), (request) => delete request.headers["authorization"])],
    ["compatible", "sampling and max_tokens", sends({ temperature: 0.2, max_tokens: 5, anything: true })],
  ] satisfies readonly (readonly [ChatVendor["name"], string, Change])[])("as %s accepts %s", async (vendor, _what, change) => {
    await using bundle = await setup(vendor);
    const request = bundle.good();
    change(request);
    expect((await bundle.send(request)).body).toMatchObject({ object: "chat.completion", choices: [{ finish_reason: "stop" }] });
  });

  it.each(Object.values(CHAT_VENDORS).map(({ name }) => name))("as %s lists its only model", async (vendor) => {
    await using bundle = await setup(vendor);
    const models = await bundle.get(vendor === "ollama" ? "/v1/models" : "/models");
    expect(models).toMatchObject({ object: "list", data: [{ id: bundle.server.model }] });
  });

  it("as Ollama has its own endpoints: tags, version, and the abilities of a model", async () => {
    await using bundle = await setup("ollama");
    expect(await bundle.get("/api/version")).toEqual({ version: expect.any(String) as string });
    expect(await bundle.get("/api/tags")).toMatchObject({ models: [{ name: bundle.server.model }] });
    const show = async (model: string) => {
      const response = await fetch(`${bundle.server.url}/api/show`, { method: "POST", body: JSON.stringify({ model }) });
      return [response.status, await response.json()] as const;
    };
    expect(await show(bundle.server.model)).toMatchObject([200, { capabilities: ["completion", "tools", "thinking"] }]);
    expect(await show("llama1")).toEqual([404, { error: "model 'llama1' not found" }]);
  });
});
