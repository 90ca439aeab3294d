import type { Json, JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { textOf } from "../wire/fields.ts";
import { startModelServer } from "../start-model-server.ts";
import { anthropicDoorRules, anthropicRules } from "./anthropic-rules.ts";

type Change = (request: Request) => void;

interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Record<string, Json>;
  text?: string;
}

const tool = {
  name: "get_release_summary",
  description: "Reads one.",
  input_schema: { type: "object", properties: { release_id: { type: "string" } } },
};
const use = (id: string): JsonObject => ({ type: "tool_use", id, name: "get_release_summary", input: { release_id: "v2" } });
const result = (id: string): JsonObject => ({ type: "tool_result", tool_use_id: id, content: "fine" });
const user = (content: Json): JsonObject => ({ role: "user", content });
const assistant = (content: Json): JsonObject => ({ role: "assistant", content });
const turn = [user("go"), assistant([{ type: "text", text: "I look." }, use("toolu_1")]), user([result("toolu_1")])];

const schema = (more: JsonObject): Change => messagesAre({ tools: [{ ...tool, input_schema: { type: "object", ...more } }] });
const messages = (...list: readonly JsonObject[]): Change => messagesAre({ messages: list });

/** The smallest change that breaks each rule. */
const breaks: Readonly<Record<string, Change>> = {
  "known endpoint": (request) => (request.path = "/v1/complete"),
  "key is given": (request) => delete request.headers["x-api-key"],
  "key is valid": (request) => (request.headers["x-api-key"] = "sk-ant-other"),
  "version is given": (request) => delete request.headers["anthropic-version"],
  "version is known": (request) => (request.headers["anthropic-version"] = "2024-01-01"),
  "content type is JSON": (request) => (request.headers["content-type"] = "text/plain"),
  "body is a JSON object": (request) => (request.text = "{"),
  "known members only": messagesAre({ tool: [] }),
  "no sampling parameters since 2026-10-21": messagesAre({ temperature: 1 }),
  "model is given": (request) => delete request.body["model"],
  "model exists": messagesAre({ model: "claude-2" }),
  "max_tokens is given": (request) => delete request.body["max_tokens"],
  "max_tokens is within the model's limit": messagesAre({ max_tokens: 64_001 }),
  "tool has a name": messagesAre({ tools: [{ input_schema: { type: "object" } }] }),
  "tool name pattern": messagesAre({ tools: [{ ...tool, name: "get.release" }] }),
  "tool names are unique": messagesAre({ tools: [tool, tool] }),
  "tool has an input schema": messagesAre({ tools: [{ name: "a" }] }),
  "root of the input schema is an object": messagesAre({ tools: [{ ...tool, input_schema: { type: "string" } }] }),
  "no union at the root of the input schema": schema({ anyOf: [{ required: ["a"] }] }),
  "property key pattern": schema({ properties: { "release id": { type: "string" } } }),
  "input schema is JSON Schema 2020-12": schema({ properties: { n: { type: "number", minimum: 1, exclusiveMinimum: true } } }),
  "tools are defined if messages have tool blocks": (request) => {
    delete request.body["tools"];
    request.body["messages"] = turn;
  },
  "tool_choice only with tools": (request) => {
    delete request.body["tools"];
    request.body["tool_choice"] = { type: "auto" };
  },
  "tool_choice names a tool": messagesAre({ tool_choice: { type: "tool", name: "another" } }),
  "tool_choice is of a known form": messagesAre({ tool_choice: { type: "none", disable_parallel_tool_use: true } }),
  "no forced tool while thinking by budget": messagesAre({
    thinking: { type: "enabled", budget_tokens: 1024 },
    tool_choice: { type: "any" },
  }),
  "at least one message": messages(),
  "known roles": messages(user("go"), { role: "tool", content: "x" }),
  "first message is the user's": messages(assistant("hello"), user("go")),
  "content is a string or a list": messages({ role: "user" }),
  "messages have content": messages(user("")),
  "known blocks": messages(user([{ type: "tool_use", id: "a", name: "b", input: {} }])),
  "no document in an assistant message since 2026-10-21": messages(user("go"), assistant([{ type: "document", source: {} }]), user("on")),
  "no citations on a user's text since 2026-10-21": messages(user([{ type: "text", text: "go", citations: [{}] }])),
  "text blocks are not empty": messages(user([{ type: "text", text: " \n" }])),
  "system is a string or a list of text blocks": messagesAre({ system: 1 }),
  "tool_use has all members": messages(user("go"), assistant([{ ...use("a"), input: "{}" }]), user([result("a")])),
  "tool_use ids are unique": messages(...turn, assistant([use("toolu_1")]), user([result("toolu_1")])),
  "every tool_use is answered in the next message": messages(user("go"), assistant([use("a"), use("b")]), user([result("a")])),
  "every tool_result answers the previous message": messages(user([result("a")])),
  "tool_result blocks come first": messages(user("go"), assistant([use("a")]), user([{ type: "text", text: "here" }, result("a")])),
  "no trailing white space in the last assistant message": messages(user("go"), assistant("well ")),
  "no prefill": messages(user("go"), assistant("well")),
  "thinking is signed": messages(
    user("go"),
    assistant([
      { type: "thinking", thinking: "hm", signature: "x" },
      { type: "text", text: "so" },
    ]),
    user("on"),
  ),
};

describe("the Anthropic server", () => {
  const setup = async () => {
    const server = await startModelServer("anthropic");
    const good = (): Request => ({
      method: "POST",
      path: "/v1/messages",
      headers: { "x-api-key": server.key, "anthropic-version": "2026-10-21", "content-type": "application/json" },
      body: { model: server.model, max_tokens: 100, messages: [user("go")], tools: [tool] },
    });
    const send = async ({ method, path, headers, body, text }: Request) => {
      const response = await fetch(server.url + path, {
        method,
        headers,
        ...(method === "GET" ? {} : { body: text ?? JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as JsonObject };
    };
    return { server, good, send, [Symbol.asyncDispose]: () => server.close() };
  };

  // These rules need a turn that the server itself wrote, so they have their own tests below.
  const reported = new Set(["calls are sent back with their thinking", "the messages before thinking are unchanged"]);
  const rules = [...anthropicDoorRules, ...anthropicRules].filter((rule) => !reported.has(rule.name));

  it.each(rules.map((rule) => [rule.name, rule.status] as const))("refuses a request that breaks the rule: %s", async (name, status) => {
    await using bundle = await setup();
    const request = bundle.good();
    breaks[name]?.(request);
    const answer = await bundle.send(request);
    expect(bundle.server.requests.at(-1)?.refusal?.slice(0, name.length + 2)).toBe(`${name}: `);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({
      type: "error",
      error: { type: expect.stringMatching(/_error$/) as string, message: expect.any(String) as string },
    });
  });

  it.each([
    ["a plain question", () => undefined],
    [
      "a key as bearer token",
      (request) => {
        request.headers["authorization"] = `Bearer ${request.headers["x-api-key"]}`;
        delete request.headers["x-api-key"];
      },
    ],
    [
      "sampling under 2023-06-01",
      (request) => {
        request.headers["anthropic-version"] = "2023-06-01";
        request.body["temperature"] = 0.2;
      },
    ],
    [
      "a turn with its results, and text after them",
      messages(...turn.slice(0, 2), user([result("toolu_1"), { type: "text", text: "on" }])),
    ],
    ["two results in one message", messages(user("go"), assistant([use("a"), use("b")]), user([result("b"), result("a")]))],
    ["two user messages in a row", messages(user("go"), user("on"))],
    ["a choice of tool", messagesAre({ tool_choice: { type: "tool", name: "get_release_summary", disable_parallel_tool_use: true } })],
    [
      "a schema that says another dialect",
      schema({ $schema: "http://json-schema.org/draft-07/schema#", properties: { a: { anyOf: [{ type: "null" }] } } }),
    ],
  ] satisfies readonly (readonly [string, Change])[])("accepts %s", async (_what, change) => {
    await using bundle = await setup();
    const request = bundle.good();
    change(request);
    expect((await bundle.send(request)).body).toMatchObject({ type: "message", stop_reason: "end_turn" });
  });

  it("requires thinking to come back with its calls and everything before it unchanged, wherever the cache breakpoints are", async () => {
    await using bundle = await setup();
    bundle.server.think(({ messages: [, ...more] }) =>
      more.length > 0 ? { text: "done" } : { thinking: "hm", calls: [{ name: "get_release_summary", arguments: {} }] },
    );
    const first = await bundle.send(bundle.good());
    const content = first.body["content"] as readonly JsonObject[];
    const back = (blocks: readonly JsonObject[], ...changes: readonly Change[]) => {
      const request = bundle.good();
      messages(user("go"), assistant(blocks), user([result(textOf(content[1]?.["id"]))]))(request);
      for (const change of changes) change(request);
      return bundle.send(request);
    };
    expect((await back(content.slice(1))).status).toBe(400);
    expect(bundle.server.requests.at(-1)?.refusal).toContain("calls are sent back with their thinking");
    expect((await back(content, messagesAre({ system: "Today is another day." }))).status).toBe(400);
    expect(bundle.server.requests.at(-1)?.refusal).toContain("the messages before thinking are unchanged");
    const cached = messagesAre({ tools: [{ ...tool, cache_control: { type: "ephemeral" } }] });
    for (const change of [[], [cached]])
      expect((await back(content, ...change)).body).toMatchObject({ content: [{ type: "text", text: "done" }] });
  });

  it("accepts a paused turn at the end, which only its own turn may be", async () => {
    await using bundle = await setup();
    bundle.server.think(({ messages: [, ...more] }) => (more.length > 0 ? { text: "done" } : { text: "half", stop: "pause" }));
    expect((await bundle.send(bundle.good())).body).toMatchObject({ stop_reason: "pause_turn" });
    const request = bundle.good();
    messages(user("go"), assistant([{ type: "text", text: "half" }]))(request);
    expect((await bundle.send(request)).body).toMatchObject({ stop_reason: "end_turn" });
  });

  it("counts tokens without a limit, and lists its one model", async () => {
    await using bundle = await setup();
    const { headers, body } = bundle.good();
    const { max_tokens: _limit, ...counted } = body;
    const count = await bundle.send({ method: "POST", path: "/v1/messages/count_tokens", headers, body: counted });
    expect(count.body["input_tokens"]).toBeGreaterThan(10);
    const models = await bundle.send({ method: "GET", path: "/v1/models", headers, body: {} });
    expect(models.body).toMatchObject({ data: [{ type: "model", id: bundle.server.model }] });
  });
});

function messagesAre(members: JsonObject): Change {
  return (request) => void Object.assign(request.body, members);
}
