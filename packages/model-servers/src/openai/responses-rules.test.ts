import type { Json, JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { textOf } from "../wire/fields.ts";
import { startModelServer } from "../start-model-server.ts";
import { functionSchemaRules } from "./function-schema-rules.ts";
import { responsesRules } from "./responses-rules.ts";

interface Request {
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
const tool = (more: JsonObject = {}): JsonObject => ({ type: "function", name: "get_release_summary", parameters, strict: true, ...more });
const call = (call_id: string, more: JsonObject = {}): JsonObject => ({
  type: "function_call",
  call_id,
  name: "get_release_summary",
  arguments: "{}",
  ...more,
});
const output = (call_id: string): JsonObject => ({ type: "function_call_output", call_id, output: "fine" });
const user: JsonObject = { role: "user", content: [{ type: "input_text", text: "go" }] };

const sends =
  (members: JsonObject): Change =>
  (request) =>
    void Object.assign(request.body, members);
const input = (...items: readonly JsonObject[]): Change => sends({ input: items });

const breaks: Readonly<Record<string, Change>> = {
  "body is a JSON object": (request) => (request.text = "go"),
  "known members only": sends({ messages: [] }),
  "model exists": sends({ model: "gpt-2" }),
  "no sampling parameters for a reasoning model": sends({ top_p: 0.5 }),
  "max_output_tokens is at least 16": sends({ max_output_tokens: 15 }),
  "no reference to an earlier response": sends({ previous_response_id: "resp_1" }),
  "input is given": (request) => delete request.body["input"],
  "known items": input({ type: "tool_use" }),
  "known roles and parts": input(user, { role: "assistant", content: [{ type: "input_text", text: "x" }] }),
  "each id has the prefix of its type": input(user, call("a", { id: "call_a" }), output("a")),
  "calls have all members": input(user, call("a", { arguments: {} }), output("a")),
  "call_id has at most 64 characters": input(user, call("a".repeat(65)), output("a".repeat(65))),
  "output is a string or a list": input(user, call("a"), { ...output("a"), output: {} }),
  "every call has its output": input(user, call("a"), call("b"), output("a")),
  "every output comes after its call": input(user, output("a"), call("b"), output("b")),
  "no call or output is repeated": input(user, call("a"), output("a"), output("a")),
  "reasoning is sent back encrypted": input(user, { type: "reasoning", id: "rs_1", summary: [] }),
  "tools are flat": sends({ tools: [{ type: "function", function: { name: "a" } }] }),
  "at most 128 tools": sends({ tools: Array.from({ length: 129 }, (_, index) => tool({ name: `t${index}` })) }),
  "tool name pattern": sends({ tools: [tool({ name: "a b" })] }),
  "tool names are unique": sends({ tools: [tool(), tool()] }),
  "tool_choice names a tool": sends({ tool_choice: { type: "function", name: "another" } }),
};

describe("the server of OpenAI's responses", () => {
  const setup = async () => {
    const server = await startModelServer("openai");
    const good = (): Request => ({ body: { model: server.model, store: false, input: [user], tools: [tool()] } });
    const send = async ({ body, text }: Request) => {
      const headers = { authorization: `Bearer ${server.key}`, "content-type": "application/json" };
      const response = await fetch(`${server.url}/responses`, { method: "POST", headers, body: text ?? JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as JsonObject };
    };
    return { server, good, send, [Symbol.asyncDispose]: () => server.close() };
  };

  // The tests of chat completions cover each rule about the schemas of functions, and the same rules apply here.
  const shared = new Set([...functionSchemaRules.map((rule) => rule.name), "a call is sent back with its reasoning"]);

  it.each(responsesRules.filter(({ name }) => !shared.has(name)).map(({ name, status }) => [name, status] as const))(
    "refuses a request that breaks the rule: %s",
    async (name, status) => {
      await using bundle = await setup();
      const request = bundle.good();
      breaks[name]?.(request);
      const answer = await bundle.send(request);
      expect(bundle.server.requests.at(-1)?.refusal?.slice(0, name.length + 2)).toBe(`${name}: `);
      expect(answer.status).toBe(status);
    },
  );

  it.each([
    ["a question as a text", sends({ input: "go", instructions: "Be short." })],
    ["calls with their outputs", input(user, call("a"), call("b"), output("b"), output("a"))],
    ["an earlier answer", input(user, { role: "assistant", content: [{ type: "output_text", text: "x" }] }, user)],
    ["a named choice", sends({ tool_choice: { type: "function", name: "get_release_summary" }, parallel_tool_calls: false })],
  ] satisfies readonly (readonly [string, Change])[])("accepts %s", async (_what, change) => {
    await using bundle = await setup();
    const request = bundle.good();
    change(request);
    expect((await bundle.send(request)).body).toMatchObject({ object: "response", status: "completed" });
  });

  it("refuses a schema as chat completions do", async () => {
    await using bundle = await setup();
    const request = bundle.good();
    sends({ tools: [tool({ parameters: { ...parameters, required: [] } })] })(request);
    expect((await bundle.send(request)).body).toMatchObject({ error: { code: "invalid_function_parameters" } });
  });

  it("requires a call to come back with its reasoning", async () => {
    await using bundle = await setup();
    bundle.server.think(({ messages: [, ...more] }) =>
      more.length > 0 ? { text: "done" } : { thinking: "hm", calls: [{ name: "get_release_summary", arguments: {} }] },
    );
    const [reasoning = {}, made = {}] = (await bundle.send(bundle.good())).body["output"] as readonly JsonObject[];
    const back = (...items: readonly JsonObject[]) => {
      const request = bundle.good();
      input(user, ...items, output(textOf(made["call_id"])))(request);
      return bundle.send(request);
    };
    expect((await back(made)).body).toMatchObject({
      error: { message: expect.stringContaining("without its required 'reasoning' item") as string },
    });
    expect((await back(reasoning, made)).status).toBe(200);
  });
});
