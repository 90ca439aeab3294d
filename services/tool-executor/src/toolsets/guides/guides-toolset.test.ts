import { hash } from "node:crypto";
import { callIdOf, HOME_SHARD, type Json, type JsonObject, keys, MAX_SKILLS, type RunOrigin, shardOf } from "@toolbus/contracts";
import { ownKeys, signDocument } from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { nobodyToAsk, defineTool, registerToolset, type Tool, ToolProblem, toolset } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { guidesToolset } from "./guides-toolset.ts";

const own = await ownKeys(["gateway", "stranger"]);
const parameters = { type: "object", properties: {}, additionalProperties: false };

/** A run of somebody. The number distinguishes runs. */
interface Whose {
  readonly run: number;
  readonly tenant?: string;
  readonly principal?: string;
  readonly tools?: readonly string[];
  readonly signedBy?: string;
}

async function setup() {
  const clock = { now: Date.UTC(2026, 5, 5) };
  const state = memoryStore({ clock: () => clock.now });
  const tools = guidesToolset({ state, gatewayKeys: own.trusted.of("gateway"), log: silentLog });
  const orders = toolset({
    name: "orders",
    guide: "# Orders\n\nHow to use the shop.\n\nLook up the order first.\n",
    tools: [defineTool({ name: "look_up", kind: "read", description: "Does it.", parameters, run: () => 1 })],
  });
  const web = toolset({
    name: "web",
    tools: [defineTool({ name: "fetch_page", kind: "read", description: "Does it.", parameters, run: () => 1 })],
  });
  for (const one of [tools, orders, web]) await registerToolset(state, one);
  let calls = 0;

  /** Returns a new call id of this run, whose origin the gateway has stored. */
  async function callOf({ run, tenant = "acme", principal = "user:ada", tools: named, signedBy = "gateway" }: Whose): Promise<string> {
    const runId = `rn_03_01JD000000000000000000000${run}`;
    const key = keys.runOrigin(runId);
    const content: RunOrigin = {
      runId,
      conversationId: "cv_03_01JD0000000000000000000001",
      tenant,
      principal,
      scopes: [],
      ...(named ? { tools: [...named] } : {}),
      agent: "default",
      messageHash: "hash",
      via: { kind: "http" },
      createdAt: clock.now,
      openUntil: clock.now + 86_400_000,
    };
    const value = await signDocument("tb-origin+jwt", { key, revision: 1, content }, own.identityOf(signedBy).signer);
    await state.commit(shardOf(runId), { op: `origin:${run}`, guards: [{ key, version: 0 }], put: [{ key, value }] });
    return callIdOf(runId, 1, ++calls);
  }

  /** Calls a tool as a worker does: a write is prepared first. */
  async function call(name: string, args: JsonObject, whose: Whose | { readonly callId: string }): Promise<unknown> {
    const tool = tools.find(name)?.tool as Tool;
    const callId = "callId" in whose ? whose.callId : await callOf(whose);
    const context = {
      callId,
      sessionId: "",
      signal: AbortSignal.timeout(10_000),
      log: silentLog,
      progress: () => {},
      modelUsed: () => {},
      attach: () => null,
      ask: nobodyToAsk,
    };
    if (tool.kind !== "write") return shown(await tool.run(args, context));
    const prepared = await tool.prepare(args, context);
    if (prepared instanceof ToolProblem) return shown(prepared);
    return shown(await tool.run(prepared, { ...context, idempotencyKey: callId }));
  }

  return { state, clock, tools, callOf, call };
}

function shown(output: Json | ToolProblem): unknown {
  return output instanceof ToolProblem ? `${output.code}: ${output.message}` : output;
}

const skill = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  summary: "How to read slow queries.",
  markdown: "Look at the plan first.",
  classification: "internal",
  ...more,
});

describe("the guides of toolsets", () => {
  it("are listed with name and summary, of all toolsets that have one", async () => {
    const { call } = await setup();
    expect(await call("list_tool_guides", {}, { run: 1 })).toEqual({
      guides: [
        { name: "guides", summary: "How to find out how tools work together, and how to keep what a run has learned." },
        { name: "orders", summary: "How to use the shop." },
      ],
      skills: [],
    });
  });

  it("are returned by name, and an unknown name lists the known ones", async () => {
    const { call } = await setup();
    expect(await call("get_tool_guide", { name: "orders" }, { run: 1 })).toEqual({
      name: "orders",
      summary: "How to use the shop.",
      markdown: "# Orders\n\nHow to use the shop.\n\nLook up the order first.\n",
    });
    expect(await call("get_tool_guide", { name: "shop" }, { run: 2 })).toBe(
      'guide_not_found: There is no guide "shop". There are: guides, orders.',
    );
  });

  it("are shown only to requesters who may use the toolset", async () => {
    const { call } = await setup();
    const whose = { tools: ["guides", "web"] };
    expect(await call("list_tool_guides", {}, { run: 1, ...whose })).toMatchObject({ guides: [{ name: "guides" }] });
    expect(await call("get_tool_guide", { name: "orders" }, { run: 2, ...whose })).toMatch(/^guide_not_found/);
  });
});

describe("a saved skill", () => {
  it("is returned in a later run of the tenant as untrusted content, with who saved it, in which run and when", async () => {
    const { call, tools } = await setup();
    expect(await call("save_skill", skill("read-slow-queries"), { run: 1 })).toEqual({ name: "read-slow-queries", revision: 1 });
    expect(await call("get_skill", { name: "read-slow-queries" }, { run: 2, principal: "user:bob" })).toEqual({
      name: "read-slow-queries",
      summary: "How to read slow queries.",
      classification: "internal",
      saved_by: "user:ada",
      saved_in_run: "rn_03_01JD0000000000000000000001",
      saved_at: "2026-06-05T00:00:00.000Z",
      revision: 1,
      markdown: "Look at the plan first.",
    });
    expect(tools.find("get_skill")?.definition).toMatchObject({ kind: "read", trust: "untrusted" });
    expect(tools.find("save_skill")?.definition).toMatchObject({ kind: "write", risk: { tier: "medium" } });
  });

  it("gives the list no text that a run wrote", async () => {
    const { call, tools } = await setup();
    await call("save_skill", skill("read-slow-queries"), { run: 1 });
    expect(await call("list_tool_guides", {}, { run: 2 })).toMatchObject({
      skills: [{ name: "read-slow-queries", classification: "internal", saved_at: "2026-06-05T00:00:00.000Z" }],
    });
    expect(JSON.stringify(await call("list_tool_guides", {}, { run: 3 }))).not.toContain("How to read slow queries.");
    expect(await call("get_tool_guide", { name: "read-slow-queries" }, { run: 4 })).toBe(
      'guide_not_found: "read-slow-queries" is a skill. Read it with get_skill.',
    );
    expect(tools.find("list_tool_guides")?.definition.trust).toBeUndefined();
  });

  it("is not visible to another tenant, whose skill may have the same name", async () => {
    const { call } = await setup();
    await call("save_skill", skill("read-slow-queries"), { run: 1 });
    const other = { tenant: "other", principal: "user:ada" };
    expect(await call("get_skill", { name: "read-slow-queries" }, { run: 2, ...other })).toMatch(/^skill_not_found/);
    expect(await call("list_tool_guides", {}, { run: 3, ...other })).toMatchObject({ skills: [] });
    expect(await call("delete_skill", { name: "read-slow-queries" }, { run: 4, ...other })).toMatch(/^skill_not_found/);
    expect(await call("save_skill", skill("read-slow-queries", { markdown: "Other." }), { run: 5, ...other })).toMatchObject({
      revision: 1,
    });
    expect(await call("get_skill", { name: "read-slow-queries" }, { run: 6 })).toMatchObject({ markdown: "Look at the plan first." });
  });

  it("is kept by the tenant that the gateway signed, and by nobody without a signed origin", async () => {
    const { call } = await setup();
    const unsigned = "requester_unknown: The gateway has not signed who asked for this run, so no guide or skill is shown.";
    expect(await call("list_tool_guides", {}, { callId: "rn_03_01JD0000000000000000000009.1.0" })).toBe(unsigned);
    expect(await call("save_skill", skill("a-skill"), { run: 2, signedBy: "stranger" })).toMatch(/^unavailable/);
  });

  it("is not shown under an origin that was copied to another run or changed after the gateway signed it", async () => {
    const { call, callOf, state } = await setup();
    await call("save_skill", skill("a-skill"), { run: 1 });
    const others = await callOf({ run: 2, tenant: "other" });
    const [first = "", second = "", third = ""] = [1, 2, 3].map((run) => keys.runOrigin(`rn_03_01JD000000000000000000000${run}`));
    const { documents } = await state.read([first, second]);
    const [genuine, changed] = documents.map((document) => document?.value as JsonObject);
    const put = [
      { key: second, value: { ...changed, tenant: "acme" } },
      { key: third, value: { ...genuine } },
    ];
    await state.commit("03", { op: "forged", guards: [{ key: third, version: 0 }], put });
    for (const callId of [others, callIdOf("rn_03_01JD0000000000000000000003", 1, 0)])
      expect(await call("get_skill", { name: "a-skill" }, { callId })).toMatch(/^requester_unknown/);
  });

  it("is not shown to a tenant under whose key another tenant's skill is stored", async () => {
    const { call, state } = await setup();
    await call("save_skill", skill("a-skill"), { run: 1 });
    await call("save_skill", skill("a-skill", { markdown: "Other." }), { run: 2, tenant: "other" });
    const [acme = "", other = ""] = ["acme", "other"].map((tenant) => keys.skill(hash("sha256", tenant).slice(0, 32), "a-skill"));
    const { documents } = await state.read([acme, other]);
    const guards = [{ key: acme, version: documents[0]?.version ?? 0 }];
    await state.commit(HOME_SHARD, { op: "swapped", guards, put: [{ key: acme, value: documents[1]?.value ?? null }] });
    expect(await call("get_skill", { name: "a-skill" }, { run: 3 })).toMatch(/^skill_not_found/);
    expect(await call("list_tool_guides", {}, { run: 4 })).toMatchObject({ skills: [] });
  });

  it("gets a new revision under the same name, and a repeat of a call changes nothing", async () => {
    const { call, callOf, clock } = await setup();
    const first = await callOf({ run: 1 });
    await call("save_skill", skill("read-slow-queries"), { callId: first });
    clock.now += 1000;
    expect(await call("save_skill", skill("read-slow-queries", { markdown: "Newer." }), { run: 2 })).toMatchObject({ revision: 2 });
    expect(await call("save_skill", skill("read-slow-queries"), { callId: first })).toEqual({ name: "read-slow-queries", revision: 1 });
    expect(await call("get_skill", { name: "read-slow-queries" }, { run: 3 })).toMatchObject({ markdown: "Newer.", revision: 2 });
  });

  it("is visible only to its requester if it is confidential, and nobody else can replace it", async () => {
    const { call } = await setup();
    await call("save_skill", skill("my-way", { classification: "confidential" }), { run: 1 });
    const bob = { principal: "user:bob" };
    expect(await call("get_skill", { name: "my-way" }, { run: 2, ...bob })).toMatch(/^skill_not_found/);
    expect(await call("list_tool_guides", {}, { run: 3, ...bob })).toMatchObject({ skills: [] });
    expect(await call("save_skill", skill("my-way"), { run: 4, ...bob })).toBe(
      'skill_name_taken: Somebody else uses the name "my-way" for a confidential skill. Choose another name.',
    );
    expect(await call("delete_skill", { name: "my-way" }, { run: 6, ...bob })).toMatch(/^skill_name_taken/);
    expect(await call("get_skill", { name: "my-way" }, { run: 5 })).toMatchObject({ classification: "confidential", revision: 1 });
  });

  it("can be deleted, once", async () => {
    const { call } = await setup();
    await call("save_skill", skill("old-way"), { run: 1 });
    expect(await call("delete_skill", { name: "old-way" }, { run: 2 })).toEqual({ name: "old-way", revision: 1 });
    expect(await call("get_skill", { name: "old-way" }, { run: 3 })).toMatch(/^skill_not_found/);
    expect(await call("delete_skill", { name: "old-way" }, { run: 4 })).toBe('skill_not_found: There is no skill "old-way".');
  });

  it("is refused when the tenant has as many skills as it may have, even if all are saved at once", async () => {
    const { call, callOf } = await setup();
    const id = await callOf({ run: 1 });
    const saves = Array.from({ length: MAX_SKILLS - 1 }, (_, n) => n);
    for (const n of saves) await call("save_skill", skill(`skill-${n}`), { callId: id.replace(/\.\d+$/, `.${n}`) });
    const last = ["x", "y", "z"].map((name, n) => call("save_skill", skill(`last-${name}`), { callId: id.replace(/1\.\d+$/, `2.${n}`) }));
    const outcomes = await Promise.all(last);
    expect(outcomes.filter((one) => typeof one === "string" && one.startsWith("skill_limit: There are 100 skills already."))).toHaveLength(
      2,
    );
    expect(((await call("list_tool_guides", {}, { run: 2 })) as { skills: unknown[] }).skills).toHaveLength(MAX_SKILLS);
    expect(await call("save_skill", skill("skill-0"), { run: 3 })).toMatchObject({ revision: 2 });
  });
});
