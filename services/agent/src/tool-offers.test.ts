import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HOME_SHARD, type Json, type JsonObject, keys } from "@toolbus/contracts";
import { publicKeySet, staticKeySet, toolHash } from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { silentLog, startTelemetry } from "@toolbus/telemetry";
import {
  definitionPace,
  defineTool,
  fixedToolFlags,
  nameOwners,
  registerToolset,
  type ToolFlags,
  toolset,
  unregister,
} from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { profile } from "./testing/test-bundle.ts";
import { namesOf, toolOffers } from "./tool-offers.ts";

const pace = definitionPace({ log: silentLog, monotonic: () => 0 });
const owners = nameOwners({ approvals: staticKeySet(publicKeySet([])), log: silentLog });
const rights = { scopes: [] };

async function setup(flags: Readonly<Record<string, boolean>>, disabled = "", current: ToolFlags = fixedToolFlags("staging", flags)) {
  const state = memoryStore({ clock: () => 1000 });
  const parameters = { type: "object", properties: {}, additionalProperties: false };
  const tool = (name: string, version: string) =>
    defineTool({ name, version, kind: "read", description: "Looks.", flag: `${name}_enabled`, parameters, run: () => 1 });
  await registerToolset(state, toolset({ name: "orders", tools: [tool("look", "1"), tool("look", "2"), tool("count", "1")] }));
  const lines: string[] = [];
  const say = (_: object, text: string) => void lines.push(text);
  const log = { ...silentLog, warn: say, info: say };
  const offers = toolOffers({ state, flags: current, disabled: namesOf(disabled), log, pace, owners });
  return {
    lines,
    state,
    find: (tool: string) => offers.find({ ...profile, tools: "all" }, { now: 1000, rights }, { service: "", tool }),
    offer: async () =>
      (
        await offers.offer({ ...profile, tools: "all" }, { now: 1000, rights, model: { name: "openai", dialect: "openai" }, about: "" })
      ).tools.map(({ name, version }) => `${name}@${version}`),
  };
}

describe("a tool that the run's provider has no form for", () => {
  it("is logged once, with its source, the provider and the place, and counted with every run", async () => {
    const state = memoryStore({ clock: () => 1000 });
    await registerForeign(state);
    const lines: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => void lines.push(fields) };
    const exported = await withCollector(async () => {
      const offers = toolOffers({ state, flags: fixedToolFlags(), disabled: new Set(), log, pace, owners });
      const run = { now: 1000, rights, model: { name: "anthropic", dialect: "anthropic" }, about: "" } as const;
      for (let n = 0; n < 2; n++) expect((await offers.offer({ ...profile, tools: "all" }, run)).tools).toEqual([]);
    });
    expect(lines).toEqual([{ tool: "give", version: "1", toolset: "foreign", source: "mcp:lists", provider: "anthropic", pointer: "" }]);
    const metric = exported.find(({ name }) => name === "toolbus.tool.set_aside");
    expect(metric?.sum.dataPoints.map(({ asInt, asDouble }) => Number(asInt ?? asDouble))).toEqual([2]);
    expect(JSON.stringify(metric)).toMatch(/anthropic.*give.*foreign/);
  });
});

describe("a tool under a name that another toolset registers too", () => {
  it("is neither offered to a run nor found by its name", async () => {
    const t = await setup({});
    expect(await t.offer()).toContain("count@1");
    const { documents } = await t.state.read([keys.registration("orders", "count", "1")]);
    const { definition, ...stored } = documents[0]!.value as JsonObject;
    const newer = { ...(definition as JsonObject), version: "9" };
    const key = keys.registration("notes", "count", "9");
    await t.state.commit(HOME_SHARD, {
      op: "take",
      guards: [{ key, version: 0 }],
      put: [{ key, value: { ...stored, toolset: "notes", definition: newer, hash: toolHash(newer as never) } }],
      index: [{ index: keys.registryIndex(), member: "notes/count@9", score: 0 }],
    });
    expect(await t.offer()).toEqual(["look@2"]);
    expect((await t.find("count")).kind).toBe("none");
  });
});

describe("a quarantined tool", () => {
  it("is counted with every run that goes without it, by its toolset", async () => {
    const state = memoryStore({ clock: () => 1000 });
    await registerForeign(state, { type: "object", properties: { q: { pattern: "(" } } });
    const exported = await withCollector(async () => {
      const offers = toolOffers({ state, flags: fixedToolFlags(), disabled: new Set(), log: silentLog, pace, owners });
      const run = { now: 1000, rights, model: { name: "openai", dialect: "openai" }, about: "" } as const;
      for (let n = 0; n < 2; n++) expect((await offers.offer({ ...profile, tools: "all" }, run)).tools).toEqual([]);
    });
    const metric = exported.find(({ name }) => name === "toolbus.tool.quarantined");
    expect(metric?.sum.dataPoints.map(({ asInt, asDouble }) => Number(asInt ?? asDouble))).toEqual([2]);
    expect(JSON.stringify(metric)).toMatch(/toolbus\.toolset.*foreign/);
  });
});

/** Reports whether a tool of "orders" can be used, as its worker does. */
async function markSeen(state: ReturnType<typeof memoryStore>, tool: string, unavailable: string | null): Promise<void> {
  const key = keys.registration("orders", tool, "1");
  const { documents } = await state.read([key]);
  const { unavailable: _, ...rest } = (documents[0]?.value ?? {}) as Record<string, Json>;
  await state.commit(HOME_SHARD, {
    op: `seen ${unavailable ?? "well"}`,
    guards: [{ key, version: documents[0]?.version ?? 0 }],
    put: [{ key, value: unavailable === null ? rest : { ...rest, unavailable: { since: 1, reason: unavailable } } }],
  });
}

/** Registers a tool as a worker in another language may do. Our lint has not checked the tool. */
async function registerForeign(
  state: ReturnType<typeof memoryStore>,
  parameters: object = { type: "array", items: { type: "string" } },
): Promise<void> {
  const definition = {
    name: "give",
    version: "1",
    description: "Gives.",
    parameters: parameters as JsonObject,
    kind: "read" as const,
    risk: { tier: "low" as const },
    idempotency: { mode: "none" as const },
    timeoutMs: 1000,
    source: "mcp:lists",
  };
  const key = keys.registration("foreign", "give", "1");
  await state.commit(HOME_SHARD, {
    op: "register",
    guards: [{ key, version: 0 }],
    put: [{ key, value: { toolset: "foreign", definition, hash: toolHash(definition), registeredAt: 1, lastSeenAt: 1000 } as Json }],
    index: [{ index: keys.registryIndex(), member: "foreign/give@1", score: 0 }],
  });
}

interface Exported {
  readonly name: string;
  readonly sum: { readonly dataPoints: readonly { readonly asInt?: string; readonly asDouble?: number }[] };
}

/** Runs `work` while a collector listens. Returns the metrics that the collector received last. */
async function withCollector(work: () => Promise<void>): Promise<readonly Exported[]> {
  let last: readonly Exported[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { resourceMetrics: { scopeMetrics: { metrics: Exported[] }[] }[] };
      last = body.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const env = {
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    };
    const newKey = () => "k".repeat(43);
    const telemetry = await startTelemetry({ env, serviceName: "agent", log: silentLog, newKey, monotonic: () => performance.now() });
    try {
      await work();
    } finally {
      await telemetry.shutdown(5000);
    }
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return last;
}

describe("the tools that the agent offers", () => {
  it("are those that are registered when the run begins, although the registry was read a moment ago", async () => {
    const { offer, state } = await setup({});
    expect(await offer()).toEqual(["count@1", "look@2"]);
    await unregister(state, "orders", "look", "2");
    expect(await offer()).toEqual(["count@1", "look@1"]);
    await markSeen(state, "count", "It is down.");
    expect(await offer()).toEqual(["look@1"]);
    await markSeen(state, "count", null);
    expect(await offer()).toEqual(["count@1", "look@1"]);
  });

  it("change with a flag", async () => {
    let values = new Map([["look_enabled", true]]);
    const { offer } = await setup({}, "", { environment: "staging", current: async () => values });
    expect(await offer()).toEqual(["count@1", "look@2"]);
    values = new Map([["look_enabled", false]]);
    expect(await offer()).toEqual(["count@1"]);
  });

  it("leave out what a flag of this environment switches off", async () => {
    const { offer, lines } = await setup({ look_enabled: false });
    expect(await offer()).toEqual(["count@1"]);
    expect(lines).toContain(
      'New runs of the profile "test" are not offered "look@2". The tool "look" is switched off in the environment "staging" (flag look_enabled).',
    );
  });

  it("leave out what TOOLS_DISABLED names: a tool, or one version of it", async () => {
    expect(await (await setup({}, "look")).offer()).toEqual(["count@1"]);
    expect(await (await setup({}, " look@2 , count,")).offer()).toEqual(["look@1"]);
  });

  it("warn once of a flag that no tool has", async () => {
    const { offer, lines } = await setup({ lok_enabled: false });
    await offer();
    await offer();
    expect(lines).toEqual(['The flag "lok_enabled" is set, and no registered tool has it: is it spelled right?']);
  });
});
