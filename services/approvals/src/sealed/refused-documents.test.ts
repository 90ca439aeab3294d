import { HOME_SHARD, type Json, type JsonObject, keyOf, keys, type RefusedDocument, shardOf } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { type HttpAnswer, type Options, type Person, setup as setupApprovals, until } from "../testing/approvals-under-test.ts";
import { bigRefund, putDocument, refund, RUN, smallRefund } from "../testing/writes-under-test.ts";

describe("a pending approval of a version before the seals", () => {
  it("cannot be decided until an operator adopts it; then it is approved and granted once", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    await t.strip(keys.approval(id));
    await t.restart();
    expect((await t.get("amy", `/v1/approvals/${id}`)).body).toMatchObject({ code: "conflict" });
    const [found] = await t.refused();
    expect(found).toMatchObject({
      document: keys.approval(id),
      kind: "approval",
      why: "unsealed",
      adoptable: true,
      says: { requester: "rita", status: "pending" },
    });
    expect(found?.says).not.toHaveProperty("seal");
    expect(await t.adopt(found)).toMatchObject({ status: 200, body: { adopted: true } });
    expect(await t.refused()).toEqual([]);
    await t.decide("amy", id, "approve");
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
    expect((await t.audit(shardOf(RUN))).filter(({ event }) => event === "adopted")).toMatchObject([
      { by: "otto", document: keys.approval(id) },
    ]);
  });

  it("is vouched for with its requester, whose origin nobody signed then, and without any decisions in it", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const decision = { approver: "ben", decision: "approve", at: 1, via: "http", tokenHash: "none" };
    await t.strip(keys.approval(id), { decisions: [decision], need: 0 });
    const { documents } = await t.store.read([keys.runOrigin(RUN)]);
    const { signature: _, revision: __, ...origin } = (documents[0]?.value ?? {}) as Record<string, Json>;
    await putDocument(t.store, keys.runOrigin(RUN), origin);
    await t.restart();
    const [found] = await t.refused();
    expect(await t.adopt(found)).toMatchObject({ status: 200 });
    expect(await t.stored(id)).toMatchObject({ status: "pending", decisions: [], need: 1, adopted: { by: "otto" } });
    expect((await t.decide("rita", id, "approve").catch((error: unknown) => String(error))) as unknown).toMatch(/rita may not decide/);
    await t.decide("amy", id, "approve");
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
  });

  it("keeps its time when its timer comes early, as at the start of a store that another process opened", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    await t.strip(keys.approval(id));
    const timers = [{ service: "approvals", id: `apr:${id}`, dueIn: 0 }];
    const head = "tb:security:{03}:test.head";
    await t.store.commit(shardOf(RUN), { op: "early", guards: [{ key: head, version: 0 }], put: [{ key: head, value: {} }], timers });
    await until(async () => (await t.security()).length > 0);
    expect(await t.refused()).toMatchObject([{ document: keys.approval(id), adoptable: true }]);
    t.clock.now += 15 * 60_000;
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused" });
  });

  it("is adopted once, however often the request is repeated", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    await t.strip(keys.approval(id));
    const [found] = await t.refused();
    await t.adopt(found);
    expect((await t.adopt(found)).status).toBe(200);
    expect((await t.audit(shardOf(RUN))).filter(({ event }) => event === "adopted")).toHaveLength(1);
  });

  it("is not adopted if it changed after it was read", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    await t.strip(keys.approval(id));
    const [found] = await t.refused();
    await t.strip(keys.approval(id), { requester: "eve" });
    expect(await t.adopt(found)).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/changed after you read it/) } });
    expect(await t.refused()).toMatchObject([{ says: { requester: "eve" } }]);
  });

  it("is for operators only", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    await t.strip(keys.approval(id));
    const [found] = await t.refused();
    expect((await t.adopt(found, "amy")).status).toBe(403);
    expect((await t.get("amy", "/v1/refused")).status).toBe(403);
  });
});

describe("a document that is never adopted", () => {
  it("is an approval that claims to be decided: its grant would be signed without a decision", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    await t.strip(keys.approval(id), { status: "approved" });
    const [found] = await t.refused();
    expect(found).toMatchObject({ adoptable: false });
    expect(await t.adopt(found)).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/already decided/) } });
  });

  it("is a document that somebody changed under its seal, or copied to another name", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const { documents } = await t.store.read([keys.approval(id)]);
    await putDocument(t.store, keys.approval(id), { ...(documents[0]?.value as JsonObject), requester: "eve" });
    const [found] = await t.refused();
    expect(found).toMatchObject({ why: "forged", adoptable: false });
    expect(await t.adopt(found)).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/forged/) } });
  });

  it.each([keys.runOrigin(RUN), keys.token(`ap_${RUN}.1.0`, "x"), keys.pin("no_such@x y"), "tb:approval:{ff}:ap_1", "anything"])(
    "is %s",
    async (document) => {
      await using t = await setup();
      await putDocument(t.store, keys.runOrigin(RUN), { any: "thing" });
      expect(await t.adopt({ document, version: 1 })).toMatchObject({ status: 409 });
    },
  );
});

describe("pins and the era of a version before the seals", () => {
  it("are adopted as well, and hold from then on", async () => {
    await using t = await setup();
    await t.ask(smallRefund(1));
    await t.decided.next();
    await t.post2("/v1/era/raise", { era: 1, reason: "restored" });
    const { era } = (await t.get("otto", "/v1/era")).body;
    await t.strip(keys.pin(refund.name));
    await t.strip(keys.era());
    await t.restart();
    expect(await t.get("otto", "/v1/era")).toMatchObject({ status: 409, body: { remedy: expect.stringMatching(/approvals adopt/) } });
    const found = await t.refused();
    expect(found.map(({ document, adoptable }) => [document, adoptable])).toEqual([
      [keys.pin(refund.name), true],
      [keys.era(), true],
    ]);
    for (const one of found) expect((await t.adopt(one)).status).toBe(200);
    expect((await t.get("otto", "/v1/era")).body).toMatchObject({ era });
    await t.ask(smallRefund(2));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
  });

  it("leave a forged era to be raised over, which holds every shard; a genuine one is not", async () => {
    await using t = await setup();
    expect((await t.post2("/v1/era/raise", { era: 1, reason: "x", replace: true })).status).toBe(409);
    await t.post2("/v1/era/raise", { era: 1, reason: "restored" });
    const genuine = (await t.get("otto", "/v1/era")).body;
    expect((await t.post2("/v1/era/raise", { era: 1, reason: "x", replace: true })).status).toBe(409);
    expect((await t.get("otto", "/v1/era")).body).toEqual(genuine);
    t.clock.now += 1000;
    await putDocument(t.store, keys.era(), { era: 9_000_000_000_000, raisedAt: 1, reason: "mine", signature: "x" });
    expect(await t.refused()).toMatchObject([{ document: keys.era(), why: "forged", adoptable: false }]);
    expect((await t.post2("/v1/era/raise", { era: 1, reason: "x" })).status).toBe(409);
    const { status, body } = await t.post2("/v1/era/raise", { era: 1, reason: "somebody wrote one", replace: true });
    expect(status).toBe(200);
    expect(body["lost"]).toHaveLength(16);
    expect(body["era"]).toBe(Math.floor(t.clock.now / 1000));
    expect(await t.refused()).toEqual([]);
    expect(await t.audit(HOME_SHARD)).toContainEqual(expect.objectContaining({ event: "era_raised", by: "otto" }));
  });
});

describe("security events", () => {
  it("are listed since a time, over all shards, newest first", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    for (const _ of Array.from({ length: 5 })) {
      t.clock.now += 1000;
      await t.post("amy", id, { decision: "approve", token: "made-up-made-up-made-up-made-up" });
    }
    const { body } = await t.get("otto", `/v1/security?limit=2`);
    expect(body).toMatchObject({
      count: 5,
      events: [{ kind: "unknown_token", by: "amy", at: t.clock.now, shard: shardOf(RUN) }, { at: t.clock.now - 1000 }],
    });
    expect((await t.get("otto", `/v1/security?since=${t.clock.now - 1500}`)).body).toMatchObject({ count: 2 });
    t.clock.now += 25 * 3_600_000;
    expect((await t.get("otto", "/v1/security")).body).toMatchObject({ count: 0, events: [] });
  });

  it("include what agents and workers recorded, with the service, and with the reason why a worker refused a grant", async () => {
    await using t = await setup();
    const shard = shardOf(RUN);
    const at = t.clock.now;
    const recorded = async (service: string, ...entries: readonly Json[]): Promise<void> => {
      const key = keyOf("security", shard, `${service}.head`);
      const head = { guards: [{ key, version: 0 }], put: [{ key, value: { lastAt: at } }] };
      await t.store.commit(shard, { op: service, ...head, append: [{ log: keys.security(shard, service), entries }] });
    };
    const call = { callId: `${RUN}.1.0`, tool: refund.name };
    await recorded("agent", { at: at - 1, service: "agent", reason: "ledger_forged", ...call, detail: "the seal is wrong" });
    await recorded(
      "worker.orders",
      { at, service: "worker.orders", reason: "signature", ...call, detail: "x".repeat(9000), source: "/agents/default" },
      { at: at - 2, service: "worker.orders", reason: "signature", leftOut: 7, overMs: 60_000, more: "x".repeat(3000) },
      { at: at - 3, service: "agent", reason: "decision_forged", source: "/agents/default" },
      { at: "soon", reason: 7 },
      "not an event",
    );
    const { body } = await t.get("otto", "/v1/security");
    expect(body).toMatchObject({
      count: 10,
      events: [
        { kind: "grant_refused", by: "/agents/default", shard, details: { recordedBy: "worker.orders", why: "signature", ...call } },
        { kind: "ledger_forged", by: "agent", details: { recordedBy: "agent", detail: "the seal is wrong" } },
        { kind: "grant_refused", by: "worker.orders", details: { why: "signature", leftOut: 7, overMs: 60_000 } },
        { kind: "decision_forged", by: "/agents/default" },
      ],
    });
    expect(JSON.stringify(body).length).toBeLessThan(2000);
  });

  it("are read only up to a limit from a log that a compromised worker filled with nonsense", async () => {
    await using t = await setup();
    const shard = shardOf(RUN);
    const key = keyOf("security", shard, "worker.orders.head");
    const log = keys.security(shard, "worker.orders");
    const nonsense = Array.from({ length: 6000 }, () => "nonsense");
    const genuine = { at: t.clock.now, reason: "signature" };
    await t.store.commit(shard, {
      op: "filled",
      guards: [{ key, version: 0 }],
      put: [{ key, value: { lastAt: t.clock.now } }],
      append: [{ log, entries: [genuine, ...nonsense, genuine] }],
    });
    expect((await t.get("otto", "/v1/security")).body).toMatchObject({ count: 1 });
  });
});

async function setup(options: Options = {}) {
  const t = await setupApprovals({ tools: [refund], ...options });
  const post2 = async (url: string, body: object, who: Person = "otto"): Promise<HttpAnswer> => {
    const answer = await t.request(who, url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as HttpAnswer["body"] };
  };
  return {
    ...t,
    post2,
    /** Writes a document of approvals without a seal, as versions before the seals did. */
    async strip(key: string, part: JsonObject = {}): Promise<void> {
      const { documents } = await t.store.read([key]);
      const { seal: _, signature: __, revision: ___, ...content } = (documents[0]?.value ?? {}) as JsonObject;
      await putDocument(t.store, key, { ...content, ...part });
    },
    async refused(): Promise<readonly RefusedDocument[]> {
      return (await t.get("otto", "/v1/refused")).body["documents"] as unknown as readonly RefusedDocument[];
    },
    adopt: (
      { document, version }: Pick<RefusedDocument, "document" | "version"> = { document: "none", version: 1 },
      who: Person = "otto",
    ) => post2("/v1/refused/adopt", { document, version }, who),
  };
}
