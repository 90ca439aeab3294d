import { HOME_SHARD, keys, rollbackMessage } from "@toolbus/contracts";
import { memoryStore, storeLosses } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { claimsOf, type HttpAnswer, sealedUnderTest, setup, until } from "../testing/approvals-under-test.ts";
import { createEras } from "./eras.ts";
import { smallRefund, START } from "../testing/writes-under-test.ts";

const ERA = Math.floor(START / 1000);

describe("approvals, on a reported loss", () => {
  it("raises the era, holds the shards and records it in the audit", async () => {
    await using t = await running();
    await t.tell([{ shard: "03", seenAt: START - 1 }]);
    const era = {
      era: ERA,
      raisedAt: START,
      reason: "the store lost writes of shard 03",
      lost: [{ shard: "03", lostAt: START, held: true }],
    };
    expect(await t.era((body) => body["era"] === ERA)).toEqual(era);
    expect((await t.audit(HOME_SHARD)).at(-1)).toEqual({
      event: "era_raised",
      by: "worker.orders",
      at: START,
      era: ERA,
      reason: era.reason,
      shards: ["03"],
    });
  });

  it("signs the earlier grants again, for agents that ask again", async () => {
    await using t = await running();
    await t.ask(smallRefund(1));
    expect(claimsOf(await t.decided.next()).era).toBe(1);
    await t.tell([{ shard: "03", seenAt: START - 1 }]);
    await t.era((body) => body["era"] === ERA);
    await t.ask(smallRefund(1));
    expect(claimsOf(await t.decided.next())).toMatchObject({ era: ERA, callId: smallRefund(1).callId });
  });

  it("raises it once when all processes report the same loss", async () => {
    await using t = await running();
    for (let n = 1; n <= 3; n++) await t.tell([{ shard: "03", seenAt: START - n }]);
    await t.tell([{ shard: "04", seenAt: START - 1 }]);
    expect(await t.era((body) => JSON.stringify(body["lost"]).includes('"04"'))).toMatchObject({ era: ERA + 1 });
  });

  it("makes a dead letter of a report about a shard that it does not have", async () => {
    await using t = await running();
    const dead = new Promise((resolve) => {
      void t.bus.consume("dead.approval.rollback", async ({ message }) => (resolve(JSON.parse(message.body)), { kind: "ack" }), {
        concurrency: 1,
      });
    });
    await t.tell([{ shard: "ff", seenAt: START }]);
    expect(await dead).toMatchObject({ reason: "a loss names a shard that this store does not have" });
    expect(await t.era(() => true)).toMatchObject({ era: 1, raisedAt: null, lost: [] });
  });
});

describe("an operator", () => {
  it("raises the era from the current one, once, and holds every shard when asked to", async () => {
    await using t = await running();
    const body = { era: 1, reason: "restored", hold: true };
    const answer = await t.send("raise", body);
    expect(answer).toMatchObject({ status: 200, body: { era: ERA, reason: "restored" } });
    expect(answer.body["lost"]).toHaveLength(t.store.shards);
    expect(await t.send("raise", body)).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect((await t.audit(HOME_SHARD)).at(-1)).toMatchObject({ event: "era_raised", by: "otto", era: ERA });
  });

  it("gets the first answer again for a repeated key, and a refusal for another body under it", async () => {
    await using t = await running();
    const body = { era: 1, reason: "restored", hold: true };
    const first = await t.send("raise", body, "k");
    expect(first.status).toBe(200);
    expect(await t.send("raise", body, "k")).toEqual(first);
    expect(await t.send("raise", { ...body, hold: false }, "k")).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    const resumed = await t.send("resume", { shards: ["03"] }, "k");
    expect(resumed.status).toBe(200);
    expect(await t.send("resume", {}, "k")).toMatchObject({ status: 422 });
    // A refused request does not use up its key.
    expect((await t.send("raise", { era: 1, reason: "again" }, "other")).status).toBe(409);
    expect((await t.send("raise", { era: ERA, reason: "again" }, "other")).status).toBe(200);
    expect((await t.audit(HOME_SHARD)).slice(-3).map(({ event }) => event)).toEqual(["era_raised", "writes_resumed", "era_raised"]);
  });

  it("resumes the named shards, then all; resuming shards that are not held changes nothing", async () => {
    await using t = await running();
    await t.send("raise", { era: 1, reason: "restored", hold: true });
    const held = ({ body }: HttpAnswer) => (body["lost"] as { shard: string; held: boolean }[]).filter((one) => one.held).length;
    expect(held(await t.send("resume", { shards: ["03"] }))).toBe(t.store.shards - 1);
    expect(held(await t.send("resume", {}))).toBe(0);
    const records = (await t.audit(HOME_SHARD)).length;
    expect(held(await t.send("resume", {}))).toBe(0);
    expect(await t.audit(HOME_SHARD)).toHaveLength(records);
    expect((await t.audit(HOME_SHARD)).at(-1)).toMatchObject({ event: "writes_resumed", by: "otto", era: ERA });
  });
});

describe("an era that was read and is gone", () => {
  it("is a loss of its shard, and the shards that were held with it are reported again", async () => {
    const t = readers();
    await t.put({
      era: 7,
      raisedAt: 50,
      reason: "r",
      lost: [
        { shard: "03", lostAt: 50 },
        { shard: "04", lostAt: 50, resumeAt: 60 },
      ],
    });
    await t.eras.read();
    await t.put({ era: 5, raisedAt: 20, reason: "r" });
    expect((await t.eras.read()).era?.era).toBe(5);
    await until(async () => t.lost.length > 0);
    expect(t.lost).toEqual([
      { shard: HOME_SHARD, seenAt: 50 },
      { shard: "03", seenAt: 50 },
    ]);
  });

  it("is never raised to the same number again: voided grants stay void", async () => {
    const t = readers();
    await t.put({ era: 7, raisedAt: 50, reason: "r" });
    await t.eras.read();
    await t.put({ era: 5, raisedAt: 20, reason: "r" });
    await t.eras.lost([{ shard: "03", seenAt: 90 }], "agent");
    expect((await t.eras.read()).era?.era).toBe(8);
    await t.put({ era: 5, raisedAt: 20, reason: "r" });
    expect(await t.eras.raise({ from: 5, reason: "r", hold: false, by: "olga" })).toMatchObject({ era: { era: 9 } });
  });

  it("is not a loss when only an answer was overtaken by a later one", async () => {
    const t = readers();
    await t.put({ era: 5, raisedAt: 20, reason: "r" });
    const [old] = (await t.store.read([keys.era()])).documents;
    await t.put({ era: 7, raisedAt: 50, reason: "r" });
    await t.eras.read();
    await t.eras.seen(old ?? null);
    await t.eras.read();
    await t.eras.read();
    expect(t.lost).toEqual([]);
  });
});

async function running() {
  const t = await setup();
  let reported = 0;
  return Object.assign(t, {
    tell: (losses: { readonly shard: string; readonly seenAt: number }[]) =>
      t.publishAs("worker.orders", rollbackMessage({ losses, source: "worker.orders", id: `loss-${++reported}`, now: t.clock.now })),
    /** Waits until the era has the expected state, and returns it as the API shows it. */
    async era(holds: (body: HttpAnswer["body"]) => boolean) {
      let body: HttpAnswer["body"] = {};
      await until(async () => holds((body = (await t.get("amy", "/v1/era")).body)));
      return body;
    },
    async send(what: "raise" | "resume", body: object, key?: string): Promise<HttpAnswer> {
      const headers = { "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) };
      const response = await t.request("otto", `/v1/era/${what}`, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: response.status, body: JSON.parse(await response.text()) };
    },
  });
}

/** Returns approvals' view of the era, over a store to which the tests write. */
function readers() {
  const lost: { readonly shard: string; readonly seenAt: number }[] = [];
  const store = memoryStore({ clock: () => 100 });
  const { sealed, signed } = sealedUnderTest(store);
  const losses = storeLosses({ onLoss: (loss) => void lost.push(loss), onReportFailed: () => undefined });
  let ids = 0;
  return {
    lost,
    store,
    eras: createEras({ sealed, losses, resumeAfterMs: 0, newId: () => `id-${++ids}`, log: silentLog }),
    async put(value: { era: number; raisedAt: number; reason: string; lost?: { shard: string; lostAt: number; resumeAt?: number }[] }) {
      const { documents } = await store.read([keys.era()]);
      const key = keys.era();
      const signature = await signed("tb-era+jwt", key, value, ++ids);
      await store.commit(HOME_SHARD, {
        op: `put:${ids}`,
        guards: [{ key, version: documents[0]?.version ?? 0 }],
        put: [{ key, value: signature }],
      });
    },
  };
}
