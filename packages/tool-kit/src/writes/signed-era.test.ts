import { type Era, HOME_SHARD, type Json, keys } from "@toolbus/contracts";
import { ownKeys, signDocument } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { eraReader } from "./signed-era.ts";
import { bench } from "../testing/bench.ts";
import { orders, target } from "../testing/target.ts";

const own = await ownKeys(["approvals", "agent"]);
const ARGS = { amount: 5, to: "ann" };

async function signed(era: number, revision: number, by: "approvals" | "agent" = "approvals"): Promise<Json> {
  const content: Era = { era, raisedAt: 1, reason: "test" };
  return signDocument("tb-era+jwt", { key: keys.era(), revision, content }, own.identityOf(by).signer);
}

describe("the era in the store", () => {
  it("counts as approvals signed it", async () => {
    const reader = eraReader(own.trusted.of("approvals"));
    expect(await reader.read(undefined)).toEqual({ kind: "genuine", era: null });
    expect(await reader.read(await signed(2, 1))).toMatchObject({ kind: "genuine", era: { era: 2 } });
  });

  it("does not count if it is unsigned, signed by others, changed or under another key", async () => {
    const reader = eraReader(own.trusted.of("approvals"));
    const value = (await signed(2, 1)) as object;
    expect(await reader.read({ era: 1, raisedAt: 1, reason: "x" })).toMatchObject({ kind: "refused", why: "unsigned" });
    expect(await reader.read(await signed(2, 1, "agent"))).toMatchObject({ kind: "refused", why: "unknown_key" });
    expect(await reader.read({ ...value, era: 1 } as Json)).toMatchObject({ kind: "refused", why: "forged" });
  });

  it("does not go back, neither to a replaced one nor to none", async () => {
    const reader = eraReader(own.trusted.of("approvals"));
    await reader.read(await signed(5, 2));
    expect(await reader.read(await signed(4, 1))).toMatchObject({ kind: "refused", why: "older" });
    expect(await reader.read(undefined)).toMatchObject({ kind: "refused", why: "older" });
    expect(await reader.read(await signed(5, 3))).toMatchObject({ kind: "genuine" });
  });

  it("continues with a later one whose revisions approvals counts from the start again, after a loss", async () => {
    const reader = eraReader(own.trusted.of("approvals"));
    await reader.read(await signed(5, 9));
    expect(await reader.read(await signed(6, 1))).toMatchObject({ kind: "genuine", era: { era: 6 } });
  });
});

describe("a worker", () => {
  const setup = () => {
    const over = target();
    return { over, ...bench(orders(over)) };
  };

  const put = async ({ state }: Pick<ReturnType<typeof setup>, "state">, value: Json | null) => {
    const key = keys.era();
    const { documents } = await state.read([key]);
    const guards = [{ key, version: documents[0]?.version ?? 0 }];
    await state.commit(HOME_SHARD, {
      op: `put:${documents[0]?.version}`,
      guards,
      ...(value === null ? { remove: [key] } : { put: [{ key, value }] }),
    });
  };

  it("begins no write under an era that approvals did not sign, and records it", async () => {
    const s = setup();
    await put(s, { era: 1, raisedAt: 1, reason: "mine" });
    const worker = s.process();
    expect(await worker.deliver(await s.invoke("pay", ARGS))).toEqual({ kind: "ack" });
    expect([s.over.runs, worker.answers, await s.row()]).toEqual([0, [], null]);
    expect(await s.security()).toEqual([expect.objectContaining({ reason: "era_forged" })]);
  });

  it("does not accept an earlier grant because the era was removed", async () => {
    const s = setup();
    await s.raiseEra();
    const worker = s.process();
    await worker.deliver(await s.invoke("pay", ARGS, { index: 1, grant: { era: 2 } }));
    expect(s.over.runs).toBe(1);
    await put(s, null);
    const old = await s.invoke("pay", ARGS);
    // The replies of the store may have arrived out of order, so the call is retried once.
    expect(await worker.deliver(old)).toMatchObject({ kind: "retry" });
    expect(await worker.deliver(old, 2)).toEqual({ kind: "ack" });
    expect(s.over.runs).toBe(1);
    expect(await s.security()).toEqual([expect.objectContaining({ reason: "era_forged" })]);
  });
});
