import { HOME_SHARD, type Json, type JsonObject, keys, shardOf, type ToolDefinition } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { apiKeyOf, type Options, type Person, setup, START, until } from "../testing/gateway-under-test.ts";

const lookup: ToolDefinition = {
  name: "find_order",
  version: "1",
  description: "Finds an order.",
  parameters: { type: "object", properties: { order: { type: "string" } } },
  kind: "read",
  risk: { tier: "low" },
  idempotency: { mode: "none" },
  timeoutMs: 1000,
  source: "orders",
};
const refund: ToolDefinition = { ...lookup, name: "issue_refund", kind: "write", risk: { tier: "high" } };
const byName: ToolDefinition = { ...lookup, name: "mcp_invoke_tool", source: "mcp" };
const page: ToolDefinition = { ...lookup, name: "read_page", scopes: ["pages"] };

/** A gateway with tools. No agent takes its runs, unless the test plays one. */
async function started(options: Options = {}) {
  const t = await setup({ ...options, env: { MCP_WAIT_MS: "40", ...options.env } });
  for (const definition of [lookup, refund, page, byName]) {
    const toolset = definition === byName ? "mcp" : "orders";
    const registration = { toolset, definition, hash: toolHash(definition), registeredAt: START, lastSeenAt: START };
    const key = keys.registration(toolset, definition.name, "1");
    await t.store.commit(HOME_SHARD, {
      op: `register:${definition.name}`,
      guards: [{ key, version: 0 }],
      put: [{ key, value: registration as unknown as Json }],
      index: [{ index: keys.registryIndex(), member: `${toolset}/${definition.name}@1`, score: 0 }],
    });
  }
  return t;
}
type System = Awaited<ReturnType<typeof started>>;

/** Sends a request of the older protocol, whose requests stand alone, and returns the result or the error. */
async function send(
  t: System,
  who: Person,
  method: string,
  params: JsonObject,
  more: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<JsonObject> {
  const response = await fetch(`${t.service.url}/mcp`, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    headers: {
      authorization: `Bearer ${apiKeyOf(who)}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      ...more,
    },
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const [, data = text] = /^data: (\{"(?:jsonrpc|id|result).*)$/m.exec(text) ?? [];
  return JSON.parse(data) as JsonObject;
}

const callTool = async (t: System, who: Person, name: string, args: JsonObject = {}) =>
  (await send(t, who, "tools/call", { name, arguments: args }))["result"] as JsonObject;

const handleOf = (result: JsonObject): string => (result["_meta"] as JsonObject)["toolbus/handle"] as string;

describe("POST /mcp", () => {
  it("asks for a key, as every other route does", async () => {
    await using t = await started();
    expect(await t.ask(null, "/mcp", { method: "POST", body: {} })).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    expect(await t.ask("amy", "/mcp", { method: "POST", body: {} })).toMatchObject({ status: 403, body: { code: "forbidden" } });
  });

  it("answers only pages and hosts that mean this machine, so that no page of another site reaches a local gateway", async () => {
    await using t = await started();
    const asked = async (headers: Readonly<Record<string, string>>) =>
      (await t.ask("una", "/mcp", { method: "POST", body: { jsonrpc: "2.0", method: "notifications/initialized" }, headers })).status;
    expect(await asked({ origin: "http://evil.example" })).toBe(403);
    expect(await asked({ origin: "null" })).toBe(403);
    expect(await asked({ origin: "http://localhost:3000", accept: "application/json, text/event-stream" })).toBe(202);
  });

  it("lists the tools that the key may call, and says which of them only read", async () => {
    await using t = await started();
    const { tools } = (await send(t, "uri", "tools/list", {}))["result"] as { tools: { name: string; annotations: object }[] };
    expect(tools.map(({ name }) => name)).toEqual(["toolbus_get_call", "find_order"]);
    const all = (await send(t, "una", "tools/list", {}))["result"] as { tools: { name: string; annotations: object }[] };
    expect(all.tools.map(({ name, annotations }) => [name, annotations])).toEqual([
      ["toolbus_get_call", { readOnlyHint: true }],
      ["find_order", { readOnlyHint: true }],
      ["issue_refund", { readOnlyHint: false, destructiveHint: true }],
    ]);
  });

  it("starts no run for a tool that does not exist or that the key may not use", async () => {
    await using t = await started();
    expect((await send(t, "una", "tools/call", { name: "no_tool" }))["error"]).toMatchObject({ code: -32602 });
    // A client would take a write through this tool for a read.
    expect((await send(t, "una", "tools/call", { name: "mcp_invoke_tool" }))["error"]).toMatchObject({ code: -32602 });
    expect(await callTool(t, "una", "read_page")).toMatchObject({ isError: true, structuredContent: { code: "forbidden" } });
    expect(t.wakes).toEqual([]);
  });

  it("counts a call as a run of its key", async () => {
    await using t = await started({ env: { RUNS_PER_MINUTE: "1" } });
    expect((await callTool(t, "una", "find_order"))["isError"]).toBeUndefined();
    expect(await callTool(t, "una", "find_order")).toMatchObject({ isError: true, structuredContent: { code: "rate_limited" } });
  });

  it("makes one call of two requests with the same Idempotency-Key", async () => {
    await using t = await started();
    const keyed = async (order: string) =>
      (await send(t, "una", "tools/call", { name: "find_order", arguments: { order } }, { "idempotency-key": "k-1" }))[
        "result"
      ] as JsonObject;
    const first = handleOf(await keyed("7"));
    expect(handleOf(await keyed("7"))).toBe(first);
    expect(await keyed("8")).toMatchObject({ isError: true, structuredContent: { code: "idempotency_key_reused" } });
    expect(handleOf(await callTool(t, "una", "find_order", { order: "7" }))).not.toBe(first);
  });

  it("answers with a handle when there is no result in time, which only the caller can use", async () => {
    await using t = await started();
    const waiting = await callTool(t, "una", "find_order", { order: "7" });
    expect(waiting).toMatchObject({ structuredContent: { status: "waiting", waitsFor: "agent" } });
    const handle = handleOf(waiting);
    expect(await callTool(t, "una", "toolbus_get_call", { handle })).toMatchObject({ structuredContent: { status: "waiting", handle } });
    for (const who of ["ugo", "uma"] as const)
      expect(await callTool(t, who, "toolbus_get_call", { handle })).toMatchObject({
        isError: true,
        structuredContent: { code: "not_found" },
      });
    const other = await t.accepted("una");
    await t.agent.take(other);
    expect(await callTool(t, "una", "toolbus_get_call", { handle: other })).toMatchObject({ structuredContent: { code: "not_found" } });
    expect(await callTool(t, "una", "toolbus_get_call", { handle, more: 1 })).toMatchObject({
      structuredContent: { code: "invalid_request" },
    });
  });

  it("gives a result as text and, if it is an object, as structured content", async () => {
    await using t = await started();
    const handle = handleOf(await callTool(t, "una", "find_order", { order: "7" }));
    await t.agent.take(handle, { profile: "mcp:call" });
    const result = { status: "ok", content: '{"total":3}', isError: false } as const;
    await t.agent.call(`${handle}.0.0`, { round: 0, state: "resolved", toolName: "find_order", kind: "read", result });
    expect(await callTool(t, "una", "toolbus_get_call", { handle })).toMatchObject({
      content: [{ type: "text", text: '{"total":3}' }],
      structuredContent: { total: 3 },
      _meta: { "toolbus/status": "ok" },
    });
  });

  it("never calls an unknown outcome a success, and says when it became known", async () => {
    await using t = await started();
    const handle = handleOf(await callTool(t, "una", "issue_refund"));
    await t.agent.take(handle, { profile: "mcp:call" });
    const result = { status: "outcome_unknown", content: '{"error":"It may have happened."}', isError: true } as const;
    const call = { round: 0, state: "resolved", toolName: "issue_refund", kind: "write", result } as const;
    await t.agent.call(`${handle}.0.0`, call);
    const get = () => callTool(t, "una", "toolbus_get_call", { handle });
    expect(await get()).toMatchObject({ isError: true, _meta: { "toolbus/status": "outcome_unknown" } });
  });

  for (const [name, words, cancelled] of [
    ["find_order", "cancels a read that nobody waits for any more", true],
    ["issue_refund", "leaves a write alone when its client goes away", false],
  ] as const)
    it(`${words}`, async () => {
      await using t = await started({ env: { MCP_WAIT_MS: "20000" } });
      const gone = new AbortController();
      const sent = send(t, "una", "tools/call", { name }, {}, gone.signal).catch((error: unknown) => error);
      await until(() => t.wakes.length > 0);
      const runId = t.wakes[0]?.attributes["toolbus-entry"] ?? "";
      gone.abort();
      await sent;
      const request = async () => (await t.store.read([keys.inbox(shardOf(runId), `${runId}!cancel`)])).documents[0];
      if (cancelled) await until(async () => (await request()) !== null);
      // A later call is answered, so the gateway has noticed that the client is gone.
      const later = await callTool(t, "una", "toolbus_get_call", { handle: runId });
      expect(later).toMatchObject({ structuredContent: { status: "waiting" } });
      expect((await request()) !== null).toBe(cancelled);
    });
});
