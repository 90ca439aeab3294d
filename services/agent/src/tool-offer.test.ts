import { type Registration, SEEN_FOR_MS, type ToolDefinition } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import type { Profile } from "./profile.ts";
import { offerTools, type OfferInput } from "./tool-offer.ts";

const NOW = 1_000_000;

function registered(name: string, part: Partial<ToolDefinition> = {}, more: Partial<Registration> = {}): Registration {
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
  const hash = `hash of ${name}@${definition.version} ${definition.description}`;
  return { toolset: "orders", definition, hash, registeredAt: 0, lastSeenAt: NOW, ...more };
}

function offered(
  registrations: readonly Registration[],
  tools: Profile["tools"] = "all",
  part: Partial<OfferInput> & { maxTools?: number; seedCalls?: Profile["seedCalls"] } = {},
) {
  const limits = { maxRounds: 5, activeMs: 1000, maxTools: part.maxTools ?? 12, maxTokens: 100 };
  const profile = { name: "chat", tools, limits, seedCalls: part.seedCalls ?? [], report: null };
  const model = { name: "openai", dialect: "openai" } as const;
  const made = offerTools({ profile, registrations, now: NOW, off: () => null, rights: { scopes: [] }, model, about: "", ...part });
  return { ...made, names: made.tools.map(({ name, version }) => `${name}@${version}`), texts: made.notices.map(({ text }) => text) };
}

describe("the version of a tool that a new run gets", () => {
  const versions = ["9", "10", "2"].map((version) => registered("look_up", { version }));

  it("is the newest, whatever was registered last", () => {
    expect(offered(versions).names).toEqual(["look_up@10"]);
    expect(offered(versions.toReversed()).names).toEqual(["look_up@10"]);
  });

  it("is the one that the profile pins, in whatever order its rules are", () => {
    expect(offered(versions, ["look_up@9"]).names).toEqual(["look_up@9"]);
    expect(offered(versions, ["kind:read", "look_up@2"]).names).toEqual(["look_up@2"]);
  });

  it("is a deprecated one only if there is no other", () => {
    const old = registered("look_up", { version: "11", deprecated: { note: "Use 10." } });
    expect(offered([...versions, old]).names).toEqual(["look_up@10"]);
    expect(offered([old]).names).toEqual(["look_up@11"]);
  });

  it("is the newest that is switched on", () => {
    const off = ({ definition }: Registration) => (definition.version === "10" ? "TOOLS_DISABLED names it." : null);
    expect(offered(versions, "all", { off }).names).toEqual(["look_up@9"]);
    expect(offered(versions, ["look_up@10"], { off })).toMatchObject({
      names: [],
      notices: [{ level: "info", text: 'New runs of the profile "chat" are not offered "look_up@10". TOOLS_DISABLED names it.' }],
    });
  });
});

describe("the tools of a new run", () => {
  it("are those that its requester may use: an older version that demands less replaces a newer one", () => {
    const all = [registered("look", { scopes: ["a"] }), registered("pay", { version: "2", scopes: ["a", "b"] }), registered("pay")];
    const { names, notices } = offered(all, "all", { rights: { scopes: ["b"] } });
    expect(names).toEqual(["pay@1"]);
    expect(notices).toEqual([
      {
        level: "info",
        text: 'New runs of the profile "chat" are not offered "look@1". The requester lacks the scope "a" that "look" requires.',
      },
    ]);
    expect(offered(all, "all", { rights: { scopes: ["a", "b"] } }).names).toEqual(["look@1", "pay@2"]);
  });

  it("are of the toolsets and tools that the requester's key names, if it names some", () => {
    const all = [registered("find"), registered("pay"), registered("fetch", {}, { toolset: "web" })];
    const names = (...tools: readonly string[]) => offered(all, "all", { rights: { scopes: [], tools } }).names;
    expect(names("orders")).toEqual(["find@1", "pay@1"]);
    expect(names("web", "orders/pay")).toEqual(["fetch@1", "pay@1"]);
    expect(names("web/pay", "pay", "ord")).toEqual([]);
    expect(names()).toEqual([]);
  });

  it("are those that match the profile's rules, each name once, in their order", () => {
    const all = [
      registered("b_read"),
      registered("a_read"),
      registered("c_write", { kind: "write" }),
      registered("d_read", { source: "mcp:x" }),
    ];
    expect(offered(all, ["c_write", "kind:read", "a_read"]).names).toEqual(["c_write@1", "b_read@1", "a_read@1", "d_read@1"]);
    expect(offered(all, ["source:mcp:x"]).names).toEqual(["d_read@1"]);
    // The first rule that matches a name chooses among the versions that it matches.
    const turned = [registered("look_up"), registered("look_up", { version: "2", kind: "write" })];
    expect(offered(turned, ["kind:read", "look_up"]).names).toEqual(["look_up@1"]);
    expect(offered(all).names).toEqual(["a_read@1", "b_read@1", "c_write@1", "d_read@1"]);
  });

  it("are offered even if they have no workers, but not while a living worker says that they cannot be used", () => {
    const unavailable = { since: 1, reason: "There is no API key." };
    const asleep = registered("asleep", {}, { lastSeenAt: NOW - SEEN_FOR_MS - 1 });
    const stopped = registered("stopped", {}, { unavailable });
    const wasStopped = registered("was_stopped", {}, { unavailable, lastSeenAt: NOW - SEEN_FOR_MS - 1 });
    expect(offered([asleep, stopped, wasStopped])).toMatchObject({
      names: ["asleep@1", "was_stopped@1"],
      texts: [expect.stringContaining("There is no API key.")],
    });
  });

  it("are offered if the profile's fixed calls name them, whatever a living worker says: the call says what is wrong, or succeeds by now", () => {
    const unavailable = { since: 1, reason: "The API cannot be reached." };
    const all = [registered("look", {}, { unavailable }), registered("other", {}, { unavailable })];
    expect(offered(all, "all", { seedCalls: [{ tool: "look", argumentsFromInput: {} }] })).toMatchObject({
      names: ["look@1"],
      texts: [expect.stringContaining('"other@1"')],
    });
  });

  it("are left out when nobody has served them for over an hour, unless their workers may be scaled to zero", () => {
    const HOUR = 3_600_000;
    const ago = (ms: number) => ({ lastSeenAt: NOW - ms });
    const all = [
      registered("away", {}, ago(HOUR)),
      registered("gone", {}, ago(HOUR + 1)),
      registered("stopped", {}, { ...ago(HOUR + 5), leftAt: NOW - HOUR - 2 }),
      registered("waking", {}, { ...ago(24 * HOUR), scalesToZero: true }),
    ];
    expect(offered(all)).toMatchObject({
      names: ["away@1", "waking@1"],
      texts: [
        expect.stringMatching(/"gone@1". "orders" has had no worker since .*Z: start one, or unregister the tool\./),
        expect.stringMatching(/"stopped@1"/),
      ],
    });
  });

  it("leave out one whose definition is refused, and report those that nobody has registered", () => {
    const broken = registered("broken", { parameters: { type: "object", properties: { a: { type: "string", pattern: "(" } } } });
    expect(offered([broken, registered("fine")], ["broken", "gone", "fine@2"])).toMatchObject({
      names: [],
      texts: [
        expect.stringMatching(
          /a tool of "orders": "broken@1" is quarantined: its definition is refused at \/parameters\/properties\/a\/pattern\. The pattern "\(" is not an/,
        ),
        'The profile "chat" names the tool "gone", which no worker has registered.',
        'The profile "chat" names version 2 of "fine"; registered: 1.',
      ],
    });
  });

  it("carry the version of the whole registry, which changes with every definition", () => {
    const versions = [
      offered([registered("a"), registered("b")], ["a"]),
      offered([registered("a"), registered("b", { description: "Changed." })], ["a"]),
      offered([registered("a"), registered("b"), registered("b", { version: "2" })], ["a"]),
    ].map(({ registryVersion }) => registryVersion);
    expect(new Set(versions).size).toBe(3);
    expect(offered([registered("b"), registered("a")]).registryVersion).toBe(versions[0]);
  });
});

describe("too many tools", () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => registered(`tool_${String(n).padStart(2, "0")}`));

  it("cause a warning above 12, and another from 15 on", () => {
    expect(offered(many(12), "all", { maxTools: 64 }).texts).toEqual([]);
    expect(offered(many(13), "all", { maxTools: 64 }).texts).toEqual([expect.stringMatching(/offers 13 tools: above 12/)]);
    expect(offered(many(14), "all", { maxTools: 64 }).texts).toEqual([expect.stringMatching(/offers 14 tools: above 12/)]);
    expect(offered(many(15), "all", { maxTools: 64 }).texts).toEqual([expect.stringMatching(/offers 15 tools: from 15 on/)]);
  });

  it("are cut to the profile's limit, with a notice", () => {
    const { names, notices } = offered(many(14), "all", { maxTools: 12 });
    expect(names).toEqual(many(12).map(({ definition }) => `${definition.name}@1`));
    expect(notices).toEqual([
      {
        level: "warn",
        text: 'The profile "chat" matches 14 tools; each run is offered the 12 that fit its message best. Name fewer, or raise its limits.maxTools.',
      },
    ]);
  });

  it("are chosen by the run's message, and keep their order", () => {
    const tools = [...many(12), registered("list_pods", { description: "Lists the pods of a cluster." }), registered("read_log")];
    const { names } = offered(tools, "all", { maxTools: 2, about: "Why does the cluster restart its pods? Read the log of payments." });
    expect(names).toEqual(["list_pods@1", "read_log@1"]);
  });

  it("keep those that the profile itself calls, whatever the run's message", () => {
    const seedCalls = [{ tool: "tool_11", argumentsFromInput: {} }];
    const { names } = offered([...many(12), registered("read_log")], "all", { maxTools: 2, about: "Read the log.", seedCalls });
    expect(names).toEqual(["read_log@1", "tool_11@1"]);
  });

  it("include the bridge's own tools, with which a model finds the others, in up to half of the places", () => {
    const bridge = ["mcp_invoke", "mcp_list", "mcp_search"].map((name) => registered(name, { source: "mcp" }, { toolset: "mcp" }));
    const foreign = registered("wiki__read", { source: "mcp:wiki" }, { toolset: "mcp" });
    const { names } = offered([...many(12), registered("read_log"), foreign, ...bridge], "all", { maxTools: 4, about: "Read the log." });
    expect(names.filter((name) => name.startsWith("mcp_"))).toHaveLength(2);
    expect(names).toContain("read_log@1");
    expect(names).toHaveLength(4);
  });

  it("leave out the worst matches, and the offer says which, the best match first, and which services fit best", () => {
    const crm = { source: "mcp:crm" };
    const tools = [
      ...many(30),
      registered("crm__open_ticket", { description: "Opens a ticket for a customer.", ...crm }),
      registered("crm__close_ticket", { description: "Closes a ticket.", ...crm }),
      registered("desk__open_ticket_form", { description: "Opens the form of a ticket.", source: "mcp:desk" }),
      registered("zoo__show_prices", { description: "Shows what a ticket costs.", source: "mcp:zoo" }),
    ];
    const { choice, names } = offered(tools, "all", { maxTools: 1, about: "Open a ticket for Ada." });
    expect(names).toEqual(["crm__open_ticket@1"]);
    expect(choice).toMatchObject({ matched: 34 });
    // The third service matches too. The note has only the two best.
    expect(choice?.services).toEqual([
      { id: "mcp:crm", tools: ["crm__open_ticket", "crm__close_ticket"] },
      { id: "mcp:desk", tools: ["desk__open_ticket_form"] },
    ]);
    expect([choice?.leftOut[0], choice?.leftOut.length]).toEqual(["desk__open_ticket_form", 20]);
    expect(offered(many(12)).choice).toBeUndefined();
    expect(offered(many(13), "all", { about: "xyzzy" }).choice?.services).toBeUndefined();
    const offline = { name: "offline", dialect: "any" } as const;
    expect(offered(tools, "all", { about: "Open a ticket.", model: offline }).choice?.services).toBeUndefined();
  });

  it("keep those that find other tools and those that the conversation called, and leave a third to the message", () => {
    const tools = [...many(12), registered("search_known_services", { source: "mcp" }, { toolset: "mcp" }), registered("read_log")];
    const { names } = offered(tools, "all", { maxTools: 3, about: "Read the log.", called: ["tool_07", "tool_08"] });
    expect(names).toEqual(["read_log@1", "search_known_services@1", "tool_07@1"]);
  });

  it("are never more than the vendor accepts in one request, with room for the loop's own", () => {
    expect(offered(many(140), "all", { maxTools: 128 }).names).toHaveLength(124);
    expect(offered(many(140), "all", { maxTools: 128, model: { name: "offline", dialect: "any" } }).names).toHaveLength(128);
  });
});

describe("a tool that the run's provider has no form for", () => {
  const list = { type: "array", items: { type: "string" } };
  const broken = (version: string) => registered("give_list", { version, parameters: list, source: "mcp:lists" });

  it("is not offered, and the notice names the tool, its source, the provider and the place", () => {
    const { names, notices } = offered([broken("1"), registered("read_log")]);
    expect(names).toEqual(["read_log@1"]);
    expect(notices).toEqual([
      {
        level: "warn",
        text:
          'New runs of the profile "chat" are not offered "give_list@1" of "mcp:lists": openai has no form for its parameters. ' +
          'The arguments of a tool are an object; write {"type": "object", "properties": …}.',
        setAside: { tool: "give_list", version: "1", toolset: "orders", source: "mcp:lists", provider: "openai", pointer: "" },
      },
    ]);
  });

  it("is offered in another version that has one, and to a provider that accepts it", () => {
    expect(offered([broken("2"), registered("give_list")]).names).toEqual(["give_list@1"]);
    expect(offered([broken("1")], "all", { model: { name: "offline", dialect: "any" } }).names).toEqual(["give_list@1"]);
  });

  it("does not affect other tools", () => {
    expect(offered([registered("a"), broken("1"), registered("b")], ["give_list", "a", "b"]).names).toEqual(["a@1", "b@1"]);
  });
});
