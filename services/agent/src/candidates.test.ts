import { type Registration, SEEN_FOR_MS, type ToolDefinition } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { candidatesOf, type CandidatesInput } from "./candidates.ts";

const NOW = 10_000_000;
const HOUR_MS = 3_600_000;
const on = (): null => null;

function registered(name: string, more: Partial<Registration> = {}, part: Partial<ToolDefinition> = {}): Registration {
  const definition: ToolDefinition = {
    name,
    version: "1",
    description: "Does it.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    kind: "read",
    risk: { tier: "low" },
    idempotency: { mode: "none" },
    timeoutMs: 5000,
    source: "orders",
    ...part,
  };
  return { toolset: "orders", definition, hash: `hash of ${name}`, registeredAt: 0, lastSeenAt: NOW, ...more };
}

function setup(registrations: readonly Registration[]) {
  const input: CandidatesInput = {
    profile: { name: "chat", tools: "all", seedCalls: [] },
    registrations,
    now: NOW,
    off: on,
    rights: { scopes: [] },
    model: { name: "openai", dialect: "openai" },
  };
  const find = (part: Partial<CandidatesInput> = {}) => candidatesOf({ ...input, ...part });
  return { find, names: (part: Partial<CandidatesInput> = {}) => find(part).all.map(({ definition }) => definition.name) };
}

describe("the candidates of a run", () => {
  it("are judged once while the registry, the switches and the kind of the run are the same", () => {
    const { find } = setup([registered("count"), registered("look_up")]);
    expect(find().all).toBe(find({ now: NOW + 1 }).all);
  });

  it("are judged again for another registry, even if only a worker's report differs", () => {
    const { names } = setup([registered("count"), registered("look_up")]);
    expect(names()).toEqual(["count", "look_up"]);
    const down = { unavailable: { since: NOW, reason: "It is down." } };
    expect(names({ registrations: [registered("count", down), registered("look_up")] })).toEqual(["look_up"]);
  });

  it("have the newest version that somebody serves, so that a rollback of the workers reaches new runs", () => {
    const version = (value: string, more: Partial<Registration> = {}) => registered("look_up", more, { version: value });
    const chosen = (...registrations: readonly Registration[]) =>
      setup(registrations)
        .find()
        .all.map(({ definition }) => definition.version);
    const left = { leftAt: NOW };
    expect(chosen(version("1"), version("2"))).toEqual(["2"]);
    expect(chosen(version("1"), version("2", left))).toEqual(["1"]);
    expect(chosen(version("1"), version("2", { lastSeenAt: NOW - SEEN_FOR_MS - 1 }))).toEqual(["1"]);
    // Nobody serves any version, or its workers may be scaled to zero: the call waits for a worker of the newest one.
    expect(chosen(version("1", left), version("2", left))).toEqual(["2"]);
    expect(chosen(version("1"), version("2", { ...left, scalesToZero: true }))).toEqual(["2"]);
  });

  it("are judged again when a switch changes", () => {
    const { names } = setup([registered("count"), registered("look_up")]);
    expect(names()).toEqual(["count", "look_up"]);
    expect(names({ off: ({ definition }) => (definition.name === "count" ? "It is off." : null) })).toEqual(["look_up"]);
  });

  it("depend on the requester's rights, the profile and its own calls, and the model", () => {
    const { names } = setup([
      registered("count", {}, { scopes: ["books"] }),
      registered("look_up", { unavailable: { since: NOW, reason: "It is down." } }),
    ]);
    expect(names()).toEqual([]);
    expect(names({ rights: { scopes: ["books"] } })).toEqual(["count"]);
    expect(names({ rights: { scopes: ["books"], tools: ["billing"] } })).toEqual([]);
    const calling = { name: "chat", tools: "all" as const, seedCalls: [{ tool: "look_up", arguments: {} }] };
    expect(names({ profile: calling as unknown as CandidatesInput["profile"] })).toEqual(["look_up"]);
    expect(names({ rights: { scopes: ["books"] }, profile: { name: "chat", tools: ["look_up"], seedCalls: [] } })).toEqual([]);
    const list = registered("give", {}, { parameters: { type: "array", items: { type: "string" } } });
    const { find } = setup([list]);
    expect(find({ model: { name: "anthropic", dialect: "anthropic" } }).notices[0]?.text).toContain("anthropic has no form");
    expect(find({ model: { name: "openai", dialect: "openai" } }).notices[0]?.text).toContain("openai has no form");
  });

  it("are judged again when a worker that stays silent counts as gone, and after an hour", () => {
    const down = { unavailable: { since: NOW, reason: "It is down." } };
    const { names } = setup([registered("count", down)]);
    expect(names({ now: NOW + SEEN_FOR_MS })).toEqual([]);
    // The report of a worker that is gone no longer counts.
    expect(names({ now: NOW + SEEN_FOR_MS + 1 })).toEqual(["count"]);
    expect(names({ now: NOW + HOUR_MS })).toEqual(["count"]);
    expect(names({ now: NOW + HOUR_MS + 1 })).toEqual([]);
    expect(names({ now: NOW + 2 * HOUR_MS })).toEqual([]);
    // The clock went back.
    expect(names({ now: NOW + SEEN_FOR_MS + 1 })).toEqual(["count"]);
  });

  it("are remembered for a few kinds of runs only", () => {
    const { find } = setup([registered("count")]);
    const first = find().all;
    for (let n = 0; n < 40; n++) find({ rights: { scopes: [`scope-${n}`] } });
    expect(find().all).not.toBe(first);
    expect(find().all).toEqual(first);
  });
});
