import { HOME_SHARD, type JsonObject, keys, type ToolDefinition, type WriteView } from "@toolbus/contracts";
import { ownKeys, publicKeyOf, toolHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { claimsOf, type HttpAnswer, type Options, type Person, setup as setupApprovals } from "../testing/approvals-under-test.ts";
import { own, putDocument, refund, register, smallRefund, START } from "../testing/writes-under-test.ts";

const second: ToolDefinition = { ...refund, version: "2", description: "Pays money back, twice as kindly." };
const weaker: ToolDefinition = { ...refund, version: "3", risk: { tier: "low" } };

describe("a write that registers in a separate process", () => {
  it("waits for an operator, and is granted once the definition that was checked is enabled", async () => {
    await using t = await setup();
    expect(await t.states()).toEqual(["issue_refund@1 pending"]);
    expect(await t.outcome(1, refund)).toBe("refused");
    expect(await t.enable(refund)).toMatchObject({ status: 200, body: { enabled: { version: "1", pinnedBy: "otto", enabled: true } } });
    expect(await t.states()).toEqual(["issue_refund@1 enabled"]);
    expect(await t.outcome(2, refund)).toBe("approved");
    expect(await t.audit(HOME_SHARD)).toMatchObject([
      { event: "tool_enabled", by: "otto", tool: "issue_refund", toolHash: toolHash(refund) },
    ]);
  });

  it("is enabled once, however often the request is repeated", async () => {
    await using t = await setup();
    await t.enable(refund);
    const { documents } = await t.store.read([keys.pin("issue_refund")]);
    expect((await t.enable(refund, { who: "oda" })).status).toBe(200);
    expect((await t.store.read([keys.pin("issue_refund")])).documents).toEqual(documents);
    expect(await t.audit(HOME_SHARD)).toHaveLength(1);
  });

  it("is not enabled by an unregistered hash, or one of another toolset", async () => {
    await using t = await setup();
    expect(await t.enable(second)).toMatchObject({ status: 409, body: { code: "conflict", detail: expect.stringMatching(/registers/) } });
    expect((await t.enable(refund, { body: { toolset: "billing" } })).status).toBe(409);
    expect(await t.states()).toEqual(["issue_refund@1 pending"]);
  });

  it("is pinned with the keys that the file of trusted keys has for its worker, as they were shown", async () => {
    await using t = await setup();
    const kid = own.identityOf("worker.orders").signer.kid;
    expect((await t.show()).registered[0]).toMatchObject({ receiptKeys: [kid], receiptKeysFrom: "service-keys" });
    expect(await t.enable(refund, { body: { receiptKeys: ["another"] } })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(kid) },
    });
    expect(await t.enable(refund, { body: { receiptKeys: [kid] } })).toMatchObject({ body: { enabled: { receiptKeys: [kid] } } });
    expect((await t.store.read([keys.pin("issue_refund")])).documents[0]?.value).toMatchObject({ receiptKeys: [{ kty: "OKP", kid }] });
  });

  it("is refused while its worker signs with a key that is not enabled, because nobody could learn its outcome", async () => {
    await using t = await setup();
    await t.enable(refund);
    const stranger = publicKeyOf((await ownKeys(["worker.orders"])).identityOf("worker.orders").signer);
    await register(t.store, refund, START, "orders", stranger);
    await t.ask(smallRefund(1));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/RECEIPT_KEY_FILE/) });
    await register(t.store, refund, START, "orders", publicKeyOf(own.identityOf("worker.orders").signer));
    expect(await t.outcome(2, refund)).toBe("approved");
  });

  it("is for operators only, and an unknown name is not found", async () => {
    await using t = await setup();
    expect((await t.enable(refund, { who: "amy" })).status).toBe(403);
    expect((await t.get("amy", "/v1/writes")).status).toBe(403);
    for (const name of ["no_such", "No-Tool", "issue_refund@1"]) expect((await t.get("otto", `/v1/writes/${name}`)).status).toBe(404);
  });
});

describe("the writes of an MCP server", () => {
  const foreign = (name: string, server: string): ToolDefinition => ({ ...refund, name, source: `mcp:${server}` });

  it("are listed alone, with their definitions and changes, however the name is spelled", async () => {
    await using t = await setup();
    const [add, drop] = [foreign("my_server__add", "My Server"), foreign("my_server__drop", "My Server")];
    for (const one of [add, drop, foreign("wiki__add", "wiki")]) await register(t.store, one, START, "mcp");
    // A worker of another toolset can claim any source, but its tools are not the bridge's.
    await register(t.store, foreign("claims", "My Server"), START, "orders");
    for (const typed of ["My Server", "my_server", "MY-SERVER", "myServer"])
      expect((await t.get("otto", `/v1/writes?server=${encodeURIComponent(typed)}`)).body["writes"]).toMatchObject([
        { tool: "my_server__add", server: "My Server", definition: add, changes: [] },
        { tool: "my_server__drop", server: "My Server", definition: drop, changes: [] },
      ]);
    expect((await t.get("otto", "/v1/writes?server=other")).body["writes"]).toEqual([]);
    const all = (await t.get("otto", "/v1/writes")).body["writes"] as readonly JsonObject[];
    expect(all.map(({ tool, server, definition }) => [tool, server ?? null, definition ?? null])).toContainEqual([
      "wiki__add",
      "wiki",
      null,
    ]);
    expect(all.find(({ tool }) => tool === "claims")).not.toHaveProperty("server");
  });
});

describe("a write with a refused definition", () => {
  it("is listed and shown with where and why, and cannot be enabled", async () => {
    const pattern = { ...refund, parameters: { ...refund.parameters, properties: { order: { type: "string", pattern: "(?<=x)y" } } } };
    await using t = await setup({ tools: [] });
    await register(t.store, pattern, START);
    const quarantined = { pointer: "/parameters/properties/order/pattern", reason: expect.stringContaining("looks around") };
    expect((await t.get("otto", "/v1/writes")).body["writes"]).toMatchObject([{ tool: "issue_refund", granted: false, quarantined }]);
    expect((await t.show()).registered).toMatchObject([{ granted: false, quarantined }]);
    expect(await t.enable(pattern)).toMatchObject({ status: 409, body: { detail: expect.stringContaining("is quarantined") } });
  });
});

describe("a definition that changed", () => {
  it("shows which fields changed, and waits; enabled, it leaves the older one granted for the runs that began with it", async () => {
    await using t = await setup();
    await t.enable(refund);
    await register(t.store, second, START + 1);
    expect(await t.states()).toEqual(["issue_refund@1 enabled", "issue_refund@2 changed"]);
    const { registered } = await t.show();
    expect(registered[1]).toMatchObject({
      weaker: null,
      granted: false,
      changes: [
        { path: "/description", from: refund.description, to: second.description },
        { path: "/version", from: "1", to: "2" },
      ],
    });
    expect(await t.outcome(1, second)).toBe("refused");
    await t.enable(second);
    expect(await t.states()).toEqual(["issue_refund@1 superseded", "issue_refund@2 enabled"]);
    expect((await t.show()).registered[0]).toMatchObject({ granted: true });
    expect([await t.outcome(2, second), await t.outcome(3, refund)]).toEqual(["approved", "approved"]);
  });

  it("under the same version is a change as well", async () => {
    await using t = await setup();
    await t.enable(refund);
    await register(t.store, { ...refund, effect: "Refund." }, START + 1);
    expect(await t.states()).toEqual(["issue_refund@1 changed"]);
  });

  it("and is less strict is enabled only with acceptWeaker, and the older, stricter one stays", async () => {
    await using t = await setup();
    await t.enable(refund);
    await register(t.store, weaker, START + 1);
    expect((await t.show()).registered[1]).toMatchObject({ weaker: "its tier falls from medium to low" });
    expect(await t.enable(weaker)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/tier falls from medium to low/), errors: [{ path: "/acceptWeaker" }] },
    });
    expect(await t.outcome(1, weaker)).toBe("refused");
    expect((await t.enable(weaker, { body: { acceptWeaker: true } })).status).toBe(200);
    expect([await t.outcome(2, weaker), await t.outcome(3, refund)]).toEqual(["approved", "approved"]);
  });

  it("and is stricter ends the older one's grants", async () => {
    await using t = await setup();
    await t.enable(refund);
    const stricter = { ...refund, version: "2", risk: { tier: "critical" as const } };
    await register(t.store, stricter, START + 1);
    await t.enable(stricter);
    expect(await t.outcome(1, refund)).toBe("refused");
  });

  it("of another toolset takes the name only with acceptWeaker", async () => {
    await using t = await setup();
    await t.enable(refund);
    await register(t.store, second, START + 1, "billing");
    expect(await t.enable(second, { body: { toolset: "billing" } })).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/toolset/) },
    });
    expect((await t.enable(second, { body: { toolset: "billing", acceptWeaker: true } })).status).toBe(200);
    expect(await t.outcome(1, refund)).toBe("refused");
  });

  it("is released by going back to the older one: the newer one is no longer granted", async () => {
    await using t = await setup();
    await t.enable(refund);
    await register(t.store, second, START + 1);
    await t.enable(second);
    await t.enable(refund);
    expect([await t.outcome(1, refund), await t.outcome(2, second)]).toEqual(["approved", "refused"]);
  });
});

describe("a write that is switched off", () => {
  it("gets no grants in any version, until it is enabled again", async () => {
    await using t = await setup();
    await t.enable(refund);
    await register(t.store, second, START + 1);
    await t.enable(second);
    expect(await t.decide("disable")).toMatchObject({ status: 200, body: { enabled: { enabled: false, pinnedBy: "otto" } } });
    expect([await t.outcome(1, refund), await t.outcome(2, second)]).toEqual(["refused", "refused"]);
    expect(await t.states()).toEqual(["issue_refund@1 disabled", "issue_refund@2 disabled"]);
    expect((await t.decide("disable")).status).toBe(200);
    await t.enable(second);
    expect(await t.outcome(3, second)).toBe("approved");
    expect((await t.audit(HOME_SHARD)).map(({ event }) => event)).toEqual([
      "tool_enabled",
      "tool_enabled",
      "pinned",
      "tool_disabled",
      "tool_enabled",
    ]);
  });

  it("stays off although PIN_ON_FIRST_SIGHT is on, whatever registers", async () => {
    await using t = await setup({ env: { PIN_ON_FIRST_SIGHT: "true" } });
    await t.decide("disable");
    await register(t.store, second, START + 1);
    expect([await t.outcome(1, second), await t.outcome(2, refund)]).toEqual(["refused", "refused"]);
  });

  it("has to have been enabled", async () => {
    await using t = await setup();
    expect(await t.decide("disable")).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/never enabled/) } });
    expect((await t.decide("disable", {}, "no_such")).status).toBe(409);
  });
});

describe("the tier of a write", () => {
  it("is raised above its definition's: a call that policy granted now needs a person, and writes approved at a lower tier get no more grants", async () => {
    await using t = await setup();
    await t.enable(refund);
    expect(await t.outcome(1, refund)).toBe("approved");
    expect(await t.decide("tier", { tier: "high" })).toMatchObject({ status: 200, body: { enabled: { tier: "high" } } });
    await t.ask(smallRefund(1));
    expect((await t.decided.next()).body).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/now needs the approval of the tier "high"/),
    });
    const id = await t.hold(smallRefund(2));
    expect(await t.stored(id)).toMatchObject({ tier: "high", need: 1, reasons: [expect.stringMatching(/operator raised/)] });
    await t.decideAs("amy", id);
    const granted = await t.decided.next();
    expect(claimsOf(granted)).toMatchObject({ tier: "high" });
    // The worker judges the grant by its own definition. A grant of a higher tier also covers a lower one.
    expect(await t.verdict(granted, smallRefund(2), { tier: "medium", need: 0 })).toMatchObject({ kind: "granted" });
  });

  it("is raised for a version besides the enabled one, too", async () => {
    await using t = await setup();
    await t.enable(refund);
    await register(t.store, second, START + 1);
    await t.enable(second);
    await t.decide("tier", { tier: "high" });
    const id = await t.hold(smallRefund(1));
    expect(await t.stored(id)).toMatchObject({ toolVersion: "1", tier: "high" });
  });

  it("stays raised when another definition is enabled", async () => {
    await using t = await setup();
    await t.enable(refund);
    await t.decide("tier", { tier: "high" });
    await register(t.store, second, START + 1);
    expect(await t.enable(second)).toMatchObject({ body: { enabled: { version: "2", tier: "high" } } });
  });

  it("is never set below the definition's, and falls only with acceptWeaker", async () => {
    await using t = await setup();
    await t.enable(refund);
    expect(await t.decide("tier", { tier: "low" })).toMatchObject({ status: 400, body: { errors: [{ path: "/tier" }] } });
    await t.decide("tier", { tier: "critical" });
    expect((await t.decide("tier", { tier: "medium" })).status).toBe(409);
    expect(await t.decide("tier", { tier: "medium", acceptWeaker: true })).toMatchObject({
      status: 200,
      body: { enabled: { tier: "medium" } },
    });
    expect(await t.outcome(1, refund)).toBe("approved");
  });
});

describe("a pin that somebody else wrote", () => {
  it("grants nothing, is shown as damaged, and is replaced only with acceptWeaker", async () => {
    await using t = await setup();
    await t.enable(refund);
    const { documents } = await t.store.read([keys.pin("issue_refund")]);
    await putDocument(t.store, keys.pin("issue_refund"), { ...(documents[0]?.value as JsonObject), pinnedBy: "nobody" });
    expect(await t.show()).toMatchObject({ enabled: null, damaged: "forged", registered: [{ state: "damaged", granted: false }] });
    expect(await t.outcome(1, refund)).toBe("refused");
    expect((await t.enable(refund)).status).toBe(409);
    expect((await t.enable(refund, { body: { acceptWeaker: true } })).status).toBe(200);
    expect(await t.outcome(2, refund)).toBe("approved");
  });
});

describe("a registration that is to go", () => {
  it("is requested once by a signed request that names it, and stays enabled; the answer says whether a worker is alive", async () => {
    await using t = await setup();
    await t.enable(refund);
    expect(await t.remove("issue_refund")).toEqual({
      status: 200,
      body: { tool: "issue_refund", toolset: "orders", version: "1", lastSeenAt: START, served: true },
    });
    const member = "orders/issue_refund@1";
    expect((await t.store.page(keys.removals(), { limit: 10 })).members).toMatchObject([{ member }]);
    expect((await t.store.read([keys.removal(member)])).documents[0]?.value).toMatchObject({
      by: "otto",
      registeredAt: START,
      signature: expect.any(String),
    });
    expect(await t.audit(HOME_SHARD)).toMatchObject([
      { event: "tool_enabled" },
      { event: "removal_asked", by: "otto", tool: "issue_refund" },
    ]);
    t.clock.now += 3_600_000;
    expect(await t.remove("issue_refund")).toMatchObject({ status: 200, body: { served: false } });
    expect((await t.show()).enabled).toMatchObject({ enabled: true });
  });

  it("has to be named if there are several, and has to exist", async () => {
    await using t = await setup();
    await register(t.store, second, START + 1);
    expect(await t.remove("issue_refund")).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/more than once: 1 of orders, 2 of orders/) },
    });
    expect(await t.remove("issue_refund", { version: "2" })).toMatchObject({ body: { version: "2" } });
    expect(await t.remove("issue_refund", { version: "3" })).toMatchObject({
      status: 404,
      body: { detail: "There is no such registration.", remedy: expect.stringContaining("GET /v1/tools") },
    });
    expect((await t.remove("No-Name")).status).toBe(404);
    expect((await t.remove("issue_refund", { version: "2", toolset: "billing" })).status).toBe(404);
  });
});

/** Starts approvals as in its own process, where it pins nothing automatically. */
async function setup(options: Options = {}) {
  const t = await setupApprovals({ tools: [refund], ...options, env: { PIN_ON_FIRST_SIGHT: "false", ...options.env } });
  const post = async (who: Person, url: string, body: object): Promise<HttpAnswer> => {
    const answer = await t.request(who, url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as HttpAnswer["body"] };
  };
  return {
    ...t,
    decideAs: (who: Person, id: string) => t.decide(who, id, "approve"),
    enable: (tool: ToolDefinition, { who = "otto", body = {} }: { readonly who?: Person; readonly body?: object } = {}) =>
      post(who, `/v1/writes/${tool.name}/enable`, { toolset: "orders", hash: toolHash(tool), ...body }),
    decide: (what: "disable" | "tier", body: object = {}, tool = "issue_refund") => post("otto", `/v1/writes/${tool}/${what}`, body),
    remove: (tool: string, body: object = {}) => post("otto", `/v1/tools/${tool}/remove`, body),
    async show(): Promise<WriteView> {
      return (await t.get("otto", "/v1/writes/issue_refund")).body as unknown as WriteView;
    },
    async states(): Promise<readonly string[]> {
      const { body } = await t.get("otto", "/v1/writes");
      const writes = body["writes"] as unknown as readonly { tool: string; version: string; state: string }[];
      return writes.map(({ tool, version, state }) => `${tool}@${version} ${state}`).toSorted();
    },
    /** Returns the outcome of a small refund by this definition, which policy would grant. */
    async outcome(n: number, tool: ToolDefinition): Promise<unknown> {
      await t.ask({ ...smallRefund(n), tool });
      return (await t.decided.next()).body["outcome"];
    },
  };
}
