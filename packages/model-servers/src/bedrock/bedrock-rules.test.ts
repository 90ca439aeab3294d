import type { Json, JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { startModelServer } from "../start-model-server.ts";
import { bedrockRules } from "./bedrock-rules.ts";

interface Request {
  path: string;
  headers: Record<string, string>;
  body: Record<string, Json>;
  text?: string;
}
type Change = (request: Request) => void;

const json: JsonObject = { type: "object", properties: { release_id: { type: "string" } } };
const spec = (more: JsonObject = {}): JsonObject => ({
  toolSpec: { name: "get_release_summary", description: "Reads one.", inputSchema: { json }, ...more },
});
const use = (toolUseId: string, more: JsonObject = {}): JsonObject => ({
  toolUse: { toolUseId, name: "get_release_summary", input: {}, ...more },
});
const result = (toolUseId: string, more: JsonObject = {}): JsonObject => ({
  toolResult: { toolUseId, content: [{ text: "fine" }], ...more },
});
const user = (...content: readonly JsonObject[]): JsonObject => ({
  role: "user",
  content: content.length > 0 ? content : [{ text: "go" }],
});
const assistant = (...content: readonly JsonObject[]): JsonObject => ({ role: "assistant", content });

const sends =
  (members: JsonObject): Change =>
  (request) =>
    void Object.assign(request.body, members);
const messages = (...list: readonly JsonObject[]): Change => sends({ messages: list });
const tools = (...list: readonly JsonObject[]): Change => sends({ toolConfig: { tools: list } });
const schema = (more: JsonObject): Change => tools(spec({ inputSchema: { json: { ...json, ...more } } }));
const authorized =
  (authorization: string): Change =>
  (request) =>
    void (request.headers["authorization"] = authorization);
const signed = (keyId: string) =>
  authorized(
    `AWS4-HMAC-SHA256 Credential=${keyId}/20261101/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=${"0".repeat(64)}`,
  );

const breaks: Readonly<Record<string, Change>> = {
  "known operation": (request) => (request.path = request.path.replace("converse", "invoke")),
  "request is signed or has a bearer token": (request) => delete request.headers["authorization"],
  "signature is of the known form": authorized("AWS4-HMAC-SHA256 Credential=x"),
  "bearer token is valid": authorized("Bearer other"),
  "access key is known": signed("AKIDOTHER"),
  "signature is correct": signed("AKIDTOOLBUS"),
  "body is a JSON object": (request) => (request.text = "{"),
  "model exists": (request) => (request.path = "/model/anthropic.claude-v2/converse"),
  "inference settings in range": sends({ inferenceConfig: { temperature: 1.5 } }),
  "at least one message": messages(),
  "known roles": messages({ role: "system", content: [{ text: "x" }] }),
  "first message is the user's": messages(assistant({ text: "hello" }), user()),
  "roles alternate": messages(user(), user()),
  "messages have content": messages(user(), assistant(), user()),
  "one known member per block": messages(user({ text: "go", json: {} })),
  "text blocks are not blank": messages(user({ text: " " })),
  "toolUse has all members": messages(user(), assistant(use("a", { input: "{}" })), user(result("a"))),
  "toolResult has all members": messages(user(), assistant(use("a")), user(result("a", { status: "failed" }))),
  "content of a failed toolResult is not empty": messages(user(), assistant(use("a")), user(result("a", { status: "error", content: [] }))),
  "json of a toolResult is an object": messages(user(), assistant(use("a")), user(result("a", { content: [{ json: [1] }] }))),
  "toolUse ids of a turn are unique": messages(user(), assistant(use("a"), use("a")), user(result("a"))),
  "every toolUse is answered in the next message": messages(user(), assistant(use("a"), use("b")), user(result("a"))),
  "every toolResult answers the previous message": messages(user(result("a"))),
  "reasoning is signed": messages(
    user(),
    assistant({ reasoningContent: { reasoningText: { text: "hm", signature: "x" } } }, { text: "so" }),
    user(),
  ),
  "toolConfig is given if messages have tool blocks": (request) => {
    delete request.body["toolConfig"];
    messages(user(), assistant(use("a")), user(result("a")))(request);
  },
  "toolConfig has a tool": tools(),
  "toolSpec name pattern": tools(spec({ name: "a.b" })),
  "tool names are unique": tools(spec(), spec()),
  "toolSpec description is not empty": tools(spec({ description: "" })),
  "inputSchema is an object of type object": tools(spec({ inputSchema: { json: "{}" } })),
  "no union at the root of the inputSchema": schema({ oneOf: [] }),
  "property key pattern": schema({ properties: { "a b": {} } }),
  "inputSchema is JSON Schema 2020-12": schema({ properties: { a: { type: "number", exclusiveMinimum: true } } }),
  "toolChoice is of a known form": sends({ toolConfig: { tools: [spec()], toolChoice: { none: {} } } }),
  "toolChoice names a tool": sends({ toolConfig: { tools: [spec()], toolChoice: { tool: { name: "another" } } } }),
};

describe("the Bedrock server", () => {
  const setup = async () => {
    const server = await startModelServer("bedrock");
    const good = (): Request => ({
      path: `/model/${encodeURIComponent(server.model)}/converse`,
      headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
      body: { messages: [user()], toolConfig: { tools: [spec()] } },
    });
    const send = async ({ path, headers, body, text }: Request) => {
      const response = await fetch(server.url + path, { method: "POST", headers, body: text ?? JSON.stringify(body) });
      return { status: response.status, type: response.headers.get("x-amzn-errortype"), body: (await response.json()) as JsonObject };
    };
    return { server, good, send, [Symbol.asyncDispose]: () => server.close() };
  };

  it.each(bedrockRules.map(({ name, status }) => [name, status] as const))(
    "refuses a request that breaks the rule: %s",
    async (name, status) => {
      await using bundle = await setup();
      const request = bundle.good();
      breaks[name]?.(request);
      const answer = await bundle.send(request);
      expect(bundle.server.requests.at(-1)?.refusal?.slice(0, name.length + 2)).toBe(`${name}: `);
      expect(answer.status).toBe(status);
      expect(answer.type).toMatch(/Exception/);
    },
  );

  it.each([
    ["a plain question", () => undefined],
    [
      "results of one turn in one message, with text",
      messages(user(), assistant({ text: "I look." }, use("a"), use("b")), user(result("b"), result("a"), { text: "on" })),
    ],
    [
      "a result as JSON that failed",
      messages(user(), assistant(use("a")), user(result("a", { status: "error", content: [{ json: { error: "x" } }] }))),
    ],
    [
      "a choice of tool and sampling",
      sends({
        inferenceConfig: { maxTokens: 5, temperature: 0.2 },
        toolConfig: { tools: [spec({ strict: true })], toolChoice: { any: {} } },
      }),
    ],
  ] satisfies readonly (readonly [string, Change])[])("accepts %s", async (_what, change) => {
    await using bundle = await setup();
    const request = bundle.good();
    change(request);
    expect((await bundle.send(request)).body).toMatchObject({ stopReason: "end_turn", output: { message: { role: "assistant" } } });
  });
});
