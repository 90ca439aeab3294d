import { HOME_SHARD, type Json, keys, type Registration, SEEN_FOR_MS, type ToolDefinition, type ToolList } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { setup, START } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const refund: ToolDefinition = {
  name: "issue_refund",
  version: "1",
  description: "Refunds an order.",
  parameters: { type: "object", properties: { order: { type: "string" } } },
  kind: "write",
  risk: { tier: "high" },
  idempotency: { mode: "none" },
  timeoutMs: 1000,
  source: "orders",
};
const lookup: ToolDefinition = { ...refund, name: "find_order", description: "Finds an order.", kind: "read", risk: { tier: "low" } };

describe("GET /v1/tools", () => {
  it("lists the registered tools, whether or not a worker runs", async () => {
    await using t = await setup();
    await register(t.store, "orders", refund);
    await register(t.store, "orders", lookup);
    const { status, body } = await t.ask("una", "/v1/tools");
    expect(status).toBe(200);
    expect(body).toEqual({
      registryVersion: expect.stringMatching(/^[0-9a-f]{16}$/),
      asOf: START,
      tools: [lookup, refund].map(({ name, version, description, kind, risk, parameters, source }) => ({
        name,
        version,
        preferred: true,
        toolset: "orders",
        source,
        kind,
        tier: risk.tier,
        description,
        parameters,
        hash: toolHash(name === lookup.name ? lookup : refund),
        available: true,
        availability: "ready",
        registeredAt: START,
        lastSeenAt: START,
      })),
    });
  });

  it("shows a tool under a name of several toolsets as quarantined, and prefers none of them", async () => {
    await using t = await setup();
    await register(t.store, "orders", lookup);
    await register(t.store, "notes", { ...lookup, version: "9" });
    await register(t.store, "orders", refund);
    const { tools } = (await t.ask("una", "/v1/tools")).body as ToolList;
    expect(tools.map(({ toolset, name, preferred, available, quarantined }) => [toolset, name, preferred, available, quarantined])).toEqual(
      [
        ["notes", "find_order", false, false, { pointer: "/name", reason: expect.stringContaining("several toolsets (notes, orders)") }],
        ["orders", "find_order", false, false, { pointer: "/name", reason: expect.stringContaining("several toolsets (notes, orders)") }],
        ["orders", "issue_refund", true, true, undefined],
      ],
    );
  });

  it("says which of them the caller may not use, and why", async () => {
    await using t = await setup();
    await register(t.store, "orders", { ...refund, scopes: ["orders"] });
    await register(t.store, "orders", { ...lookup, scopes: ["orders"] });
    await register(t.store, "web", { ...lookup, name: "read_page", scopes: ["pages"] });
    const forbidden = async (who: "una" | "uri") =>
      ((await t.ask(who, "/v1/tools")).body as ToolList).tools.map((tool) => [tool.name, tool.forbidden]);
    const lacks = (scope: string, tool: string) => `The requester lacks the scope "${scope}" that "${tool}" requires.`;
    expect(await forbidden("una")).toEqual([
      ["find_order", lacks("orders", "find_order")],
      ["issue_refund", lacks("orders", "issue_refund")],
      ["read_page", lacks("pages", "read_page")],
    ]);
    expect(await forbidden("uri")).toEqual([
      ["find_order", undefined],
      ["issue_refund", 'The requester\'s key may not use "issue_refund" of the toolset "orders".'],
      ["read_page", lacks("pages", "read_page")],
    ]);
  });

  it("says which one is quarantined, where and why, and does not repeat what was refused", async () => {
    await using t = await setup();
    await register(t.store, "orders", {
      ...refund,
      risk: { tier: "low", rules: [{ when: { $async: true }, tier: "high", reason: "later" }] },
    });
    await register(t.store, "orders", { ...lookup, parameters: { type: "object", properties: { q: { pattern: "(a)\\1" } } } });
    const { tools } = (await t.ask("una", "/v1/tools")).body as ToolList;
    expect(tools).toMatchObject([
      {
        name: "find_order",
        available: false,
        parameters: { type: "object" },
        quarantined: { pointer: "/parameters/properties/q/pattern" },
      },
      { name: "issue_refund", available: false, quarantined: { pointer: "/risk/rules/0/when/$async" } },
    ]);
    expect(tools.map(({ parameters }) => parameters)).toEqual([{ type: "object" }, { type: "object" }]);
  });

  it("reports one with a wrong hash, which no run is offered", async () => {
    await using t = await setup();
    await register(t.store, "orders", lookup, { hash: toolHash(refund) });
    const { tools } = (await t.ask("una", "/v1/tools")).body as ToolList;
    expect(tools).toMatchObject([{ name: "find_order", available: false, quarantined: { pointer: "/hash" } }]);
  });

  it("says for which providers a tool is set aside, and what is lost for which", async () => {
    await using t = await setup();
    await register(t.store, "orders", { ...refund, name: "give_list", parameters: { type: "array" } });
    const order = { type: "string", format: "uri", maxLength: 80 };
    await register(t.store, "orders", { ...refund, parameters: { type: "object", properties: { order } } });
    const { tools } = (await t.ask("una", "/v1/tools")).body as ToolList;
    const [list, money] = tools;
    expect(list?.setAside?.map(({ provider, pointer }) => [provider, pointer])).toEqual(
      ["anthropic", "openai", "openrouter", "ollama", "compatible", "bedrock", "cli"].map((provider) => [provider, ""]),
    );
    expect(list?.setAside?.[0]?.reason).toMatch(/^The arguments of a tool are an object/);
    expect(money?.setAside).toBeUndefined();
    expect(money?.lost).toEqual([
      {
        providers: ["openai", "openrouter", "ollama", "compatible", "bedrock"],
        pointer: "/properties/order/format",
        what: '"format": uri is not passed on.',
      },
      {
        providers: ["openrouter", "ollama", "compatible"],
        pointer: "/properties/order/maxLength",
        what: '"maxLength": 80 is not passed on.',
      },
    ]);
  });

  it("says for each version whether it is the one that new runs get, and shows the notice of a deprecated one", async () => {
    await using t = await setup();
    const deprecated = { note: "Use version 10: it takes the order's currency." };
    await register(t.store, "orders", { ...refund, version: "9", deprecated });
    await register(t.store, "orders", { ...refund, version: "10" });
    const { tools } = (await t.ask("otto", "/v1/tools")).body as ToolList;
    expect(tools.map(({ version, preferred, deprecated: said }) => [version, preferred, said])).toEqual([
      ["10", true, undefined],
      ["9", false, deprecated],
    ]);
  });

  it("says that new runs get an older version while nobody serves the newer one", async () => {
    await using t = await setup();
    await register(t.store, "orders", { ...refund, version: "9" });
    await register(t.store, "orders", { ...refund, version: "10" }, { leftAt: START });
    const { tools } = (await t.ask("otto", "/v1/tools")).body as ToolList;
    expect(tools.map(({ version, preferred }) => [version, preferred])).toEqual([
      ["10", false],
      ["9", true],
    ]);
  });

  it("distinguishes registered from available: workers seen lately, none seen lately, and workers that refuse", async () => {
    await using t = await setup();
    const unavailable = { since: START, reason: "There is no API key." };
    await register(t.store, "orders", lookup);
    await register(t.store, "orders", { ...lookup, name: "sleeps" }, { lastSeenAt: START - SEEN_FOR_MS - 1 });
    await register(t.store, "orders", { ...lookup, name: "stopped" }, { unavailable });
    const { tools } = (await t.ask("otto", "/v1/tools")).body as ToolList;
    expect(tools.map((tool) => [tool.name, tool.available, tool.availability, tool.unavailable])).toEqual([
      ["find_order", true, "ready", undefined],
      ["sleeps", false, "asleep", undefined],
      ["stopped", false, "unavailable", unavailable],
    ]);
  });

  it("names the registry's version, which changes with every definition", async () => {
    await using t = await setup();
    const version = async () => ((await t.ask("otto", "/v1/tools")).body as ToolList).registryVersion;
    const empty = await version();
    await register(t.store, "orders", lookup);
    const one = await version();
    expect(await version()).toBe(one);
    await register(t.store, "orders", refund);
    expect(new Set([empty, one, await version()]).size).toBe(3);
  });

  it("shows parameters as the model sees them", async () => {
    await using t = await setup();
    const properties = { order: { type: "string", "x-column": "orders.id" } };
    await register(t.store, "orders", { ...lookup, parameters: { type: "object", properties, "x-owner": "billing" } });
    const { tools } = (await t.ask("otto", "/v1/tools")).body as ToolList;
    expect(tools[0]?.parameters).toEqual({ type: "object", properties: { order: { type: "string" } } });
  });

  it("lists more tools than one page of the index holds", async () => {
    await using t = await setup();
    for (let n = 0; n < 300; n++) await register(t.store, "many", { ...lookup, name: `tool_${n}` });
    expect(((await t.ask("otto", "/v1/tools")).body as ToolList).tools).toHaveLength(300);
  });

  it("is empty before the first worker, and lists unreadable registrations apart, with the reason", async () => {
    await using t = await setup();
    expect((await t.ask("otto", "/v1/tools")).body).toMatchObject({ tools: [] });
    await register(t.store, "orders", refund, { hash: 7 });
    await register(t.store, "orders", lookup);
    expect((await t.ask("otto", "/v1/tools")).body).toMatchObject({
      tools: [{ name: "find_order" }],
      unreadable: [{ toolset: "orders", name: "issue_refund", version: "1", reason: "/hash must be string" }],
    });
  });

  it("needs a key of a user or an operator", async () => {
    await using t = await setup();
    expect(problemOf(await t.ask(null, "/v1/tools")).status).toBe(401);
    expect(problemOf(await t.ask("amy", "/v1/tools")).status).toBe(403);
  });
});

/** Registers a tool as its worker does. */
async function register(
  store: StateStore,
  toolset: string,
  definition: ToolDefinition,
  broken: { readonly [field: string]: Json } = {},
): Promise<void> {
  const { name, version } = definition;
  const key = keys.registration(toolset, name, version);
  const registration: Registration = { toolset, definition, hash: toolHash(definition), registeredAt: START, lastSeenAt: START };
  await store.commit(HOME_SHARD, {
    op: `register ${name} ${version}`,
    guards: [{ key, version: 0 }],
    put: [{ key, value: { ...registration, ...broken } as unknown as Json }],
    index: [{ index: keys.registryIndex(), member: `${toolset}/${name}@${version}`, score: 0 }],
  });
}
