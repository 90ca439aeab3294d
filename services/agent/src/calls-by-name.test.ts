import { consumeQueue } from "@toolbus/bus";
import {
  ApprovalRequest,
  attributes,
  INVOKE_TOOL,
  type Message,
  messageTypes,
  parser,
  type RunEvent,
  type ToolRights,
  topics,
} from "@toolbus/contracts";
import type { ModelRequest } from "@toolbus/models";
import { silentLog } from "@toolbus/telemetry";
import { defineTool, type Tool } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import type { Profile } from "./profile.ts";
import { conversationUnderTest } from "./testing/conversation-under-test.ts";

const parameters = {
  type: "object",
  properties: { title: { type: "string", minLength: 1, description: "The title" } },
  required: ["title"],
  additionalProperties: false,
};

/** Starts a bridge's worker with the tools of the server "My Wiki" and a model that calls one of them by name. */
async function setup(
  asked: object,
  {
    rights = { scopes: [] },
    profile = {},
    env = {},
    through = INVOKE_TOOL,
  }: { rights?: ToolRights; profile?: Partial<Profile>; env?: Readonly<Record<string, string>>; through?: string } = {},
) {
  const ran: unknown[] = [];
  const invoked: Message[] = [];
  const requests: ApprovalRequest[] = [];
  const requested = Promise.withResolvers<void>();
  const seen: ModelRequest[] = [];
  const wiki = { description: "Works on pages.", parameters, source: "mcp:My Wiki" };
  const tools: readonly Tool[] = [
    defineTool({ ...wiki, name: "my_wiki__read_page", kind: "read", run: (args) => ({ read: ran.push(args) }) }),
    defineTool({ ...wiki, name: "my_wiki__read_salary", kind: "read", scopes: ["payroll"], run: (args) => ({ read: ran.push(args) }) }),
    defineTool({
      ...wiki,
      name: "my_wiki__write_page",
      kind: "write",
      idempotency: { mode: "none" },
      effect: "Writes {title}.",
      prepare: (args) => args,
      run: (args) => ({ written: ran.push(args) }),
    }),
    defineTool({ name: "mcp_list_services", kind: "read", description: "Lists.", parameters, run: (args) => ({ listed: ran.push(args) }) }),
    defineTool({
      name: INVOKE_TOOL,
      kind: "read",
      description: "Calls a tool by name.",
      parameters: {
        type: "object",
        properties: {
          server_name: { type: "string", minLength: 1, description: "The server" },
          tool_name: { type: "string", minLength: 1, description: "The tool" },
          arguments: { type: "object", additionalProperties: true, description: "Its arguments" },
        },
        required: ["server_name", "tool_name"],
        additionalProperties: false,
      },
      run: (args) => ({ invoked: ran.push(args) }),
    }),
  ];
  const script = (request: ModelRequest) => {
    seen.push(request);
    return request.transcript.at(-1)?.type === "user" ? [{ name: through, arguments: JSON.stringify(asked) }] : "Done.";
  };
  const t = await conversationUnderTest(Date.now, script, {
    tools,
    toolset: "mcp",
    rights,
    env,
    profile: { askUser: false, ...profile },
  });
  const { publish } = t.bus;
  Object.assign(t.bus, {
    publish: (message: Message) => {
      if (message.topic === topics.invoke("mcp")) invoked.push(message);
      return publish(message);
    },
  });
  await consumeQueue(t.bus, {
    topic: topics.approvalRequest,
    types: [messageTypes.approvalRequest],
    parse: parser(ApprovalRequest),
    handler: async (_, request: ApprovalRequest) => {
      requests.push(request);
      requested.resolve();
      return { kind: "ack" };
    },
    log: silentLog,
    clock: Date.now,
    concurrency: 1,
    deadlineMs: 5000,
  });
  await t.say(1, "Look at the wiki.");
  return { t, ran, invoked, requests, requested: requested.promise, seen };
}

const turn = (events: readonly RunEvent[]) => events.find((event) => event.type === "turn");
const resolved = (events: readonly RunEvent[]) => events.flatMap((event) => (event.type === "call.resolved" ? [event] : []));
const page = { title: "Home" };

describe("a call that names its tool in its arguments", () => {
  it("is a call of that tool, with its name, version, hash and server, and the events say how the model asked for it", async () => {
    const asked = { server_name: "mcp:MY WIKI", tool_name: "Read-Page", arguments: page };
    const { t, ran, invoked } = await setup(asked);
    await using _t = t;
    expect(await t.ended(1)).toMatchObject({ type: "run.completed" });
    expect(ran).toEqual([page]);
    expect(
      invoked.map(({ body, attributes: named }) => [JSON.parse(body).toolName, JSON.parse(body).arguments, named[attributes.mcpServer]]),
    ).toEqual([["my_wiki__read_page", '{"title":"Home"}', "My Wiki"]]);
    expect(invoked[0]?.attributes).not.toHaveProperty(attributes.mcpServerAlias);
    const events = await t.events(1);
    expect(turn(events)).toMatchObject({
      calls: [{ tool: "my_wiki__read_page", kind: "read", arguments: '{"title":"Home"}', via: INVOKE_TOOL }],
    });
    expect(resolved(events)).toMatchObject([{ tool: "my_wiki__read_page", status: "ok", content: '{"read":1}' }]);
  });

  it("keeps the model's own words in the transcript, and its result has the model's id and name", async () => {
    const asked = { arguments: page, server_name: "my wiki", tool_name: "read_page" };
    const { t, seen } = await setup(asked);
    await using _t = t;
    await t.ended(1);
    const [said, result] = seen[1]?.transcript.slice(1) ?? [];
    const call = said?.type === "assistant" ? said.calls[0] : undefined;
    expect(call).toMatchObject({ name: INVOKE_TOOL, tool: "my_wiki__read_page" });
    expect(JSON.parse(call?.arguments ?? "")).toEqual(asked);
    expect(result).toMatchObject({ type: "result", id: call?.id, name: INVOKE_TOOL, content: '{"read":1}' });
  });

  it("reaches a tool that the run was not offered because of the profile's limit", async () => {
    const { t, seen, ran } = await setup(
      { server_name: "my wiki", tool_name: "read_page", arguments: page },
      { profile: { limits: { maxRounds: 5, activeMs: 30_000, maxTools: 1, maxTokens: 1000 } } },
    );
    await using _t = t;
    await t.ended(1);
    expect(seen[0]?.tools.map(({ name }) => name)).toEqual([INVOKE_TOOL]);
    expect(ran).toEqual([page]);
  });

  it("is checked by the schema of that tool before anything is sent", async () => {
    const { t, ran, invoked } = await setup({ server_name: "my wiki", tool_name: "read_page", arguments: { titel: "Home" } });
    await using _t = t;
    await t.ended(1);
    expect(resolved(await t.events(1))).toMatchObject([
      { tool: "my_wiki__read_page", status: "validation_error", content: expect.stringContaining("/title") },
    ]);
    expect([ran, invoked]).toEqual([[], []]);
  });

  it("needs a grant if that tool is a write: it is requested for exactly that tool, and nothing is sent before", async () => {
    const { t, ran, invoked, requests, requested } = await setup({ server_name: "my wiki", tool_name: "write_page", arguments: page });
    await using _t = t;
    await requested;
    expect(requests).toMatchObject([{ toolName: "my_wiki__write_page", toolVersion: "1", arguments: '{"title":"Home"}' }]);
    expect(turn(await t.events(1))).toMatchObject({ calls: [{ tool: "my_wiki__write_page", kind: "write", via: INVOKE_TOOL }] });
    expect([ran, invoked]).toEqual([[], []]);
  });
});

describe("a call by name that the run may not make", () => {
  it.each([
    ["the requester lacks a scope", "read_salary", {}, "my_wiki__read_salary", "denied", /lacks the scope .*payroll/],
    [
      "the requester's key names other tools",
      "read_page",
      { rights: { scopes: [], tools: [`mcp/${INVOKE_TOOL}`] } },
      "my_wiki__read_page",
      "denied",
      /key may not use/,
    ],
    [
      "the profile does not allow the tool",
      "read_page",
      { profile: { tools: [INVOKE_TOOL, "my_wiki__write_page"] } },
      INVOKE_TOOL,
      "unknown_tool",
      /The nearest are: my_wiki__write_page\./,
    ],
    [
      "the tool is switched off",
      "read_page",
      { env: { TOOLS_DISABLED: "my_wiki__read_page" } },
      INVOKE_TOOL,
      "denied",
      /cannot be called: TOOLS_DISABLED names it/,
    ],
    [
      "no tool has this name",
      "read_pages",
      {},
      INVOKE_TOOL,
      "unknown_tool",
      /There is no tool \\"read_pages\\" of \\"my wiki\\" .*my_wiki__read_page/,
    ],
    [
      "the tool is a tool of the bridge",
      INVOKE_TOOL,
      { server: "toolset:mcp" },
      INVOKE_TOOL,
      "unknown_tool",
      /There is no tool \\"mcp_invoke_tool\\" of \\"toolset:mcp\\"/,
    ],
    ["another tool of the bridge is named", "mcp_list_services", { server: "mcp" }, INVOKE_TOOL, "unknown_tool", /There is no tool/],
  ] as const)("is refused and not sent, because %s", async (_, tool, given, called, status, words) => {
    const { server = "my wiki", ...options }: { readonly server?: string } & Parameters<typeof setup>[1] = given;
    const { t, ran, invoked } = await setup({ server_name: server, tool_name: tool, arguments: page }, options);
    await using _t = t;
    await t.ended(1);
    expect(resolved(await t.events(1))).toMatchObject([{ tool: called, status, content: expect.stringMatching(words) }]);
    expect([ran, invoked]).toEqual([[], []]);
  });

  it("is refused if the profile leaves out the tool that calls by name", async () => {
    const options = { profile: { tools: ["my_wiki__read_page"] } };
    const { t, ran, invoked } = await setup({ server_name: "my wiki", tool_name: "read_page", arguments: page }, options);
    await using _t = t;
    await t.ended(1);
    expect(resolved(await t.events(1))).toMatchObject([{ tool: INVOKE_TOOL, status: "unknown_tool" }]);
    expect([ran, invoked]).toEqual([[], []]);
  });

  it("is refused with the fault of its own arguments if it names no tool", async () => {
    const { t, ran, invoked } = await setup({ server_name: "my wiki" });
    await using _t = t;
    await t.ended(1);
    expect(resolved(await t.events(1))).toMatchObject([{ tool: INVOKE_TOOL, status: "validation_error" }]);
    expect([ran, invoked]).toEqual([[], []]);
  });
});
