import { HOME_SHARD, keys, shardOf } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { callDecided } from "../transitions/decided.ts";
import { seenLedger } from "./seen-ledger.ts";
import { proofsUnderTest, signedEra } from "../testing/test-proofs.ts";
import { asks, type Bundle, bundle, RUN } from "../testing/test-bundle.ts";

const CALL = `${RUN}.1.0`;

describe("the ledger, as the agent sees it", () => {
  it("is forgetful once the call's shard lost writes, and for that shard alone", async () => {
    const b = await sentWrite();
    expect(await seen(b)).toEqual({ row: null, unproven: false, forgetful: false, changed: false });
    await lose(b, "0f");
    expect(await seen(b)).toEqual({ row: null, unproven: false, forgetful: false, changed: false });
    await lose(b, shardOf(RUN));
    expect(await seen(b)).toEqual({ row: null, unproven: false, forgetful: true, changed: false });
  });

  it("knows nothing of a write that was never sent", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("change", "w")]);
    await lose(b, shardOf(RUN));
    expect(await seen(b)).toEqual({ row: null, unproven: false, forgetful: false, changed: false });
  });
});

/** Returns the ledger as a new agent sees it. */
const seen = async (b: Bundle, proofs = proofsUnderTest(b.state, b.monotonic)) =>
  seenLedger({ state: b.state, proofs }, await b.snapshot(), CALL);

async function sentWrite(): Promise<Bundle> {
  const b = bundle();
  await b.start();
  await b.turn([asks("change", "w")]);
  const snapshot = await b.snapshot();
  const terms = { grantExpiresAt: snapshot.now + 900_000, executeBy: snapshot.now + 86_400_000 };
  await b.commit(callDecided(snapshot, { toolCallId: CALL, approvalId: `ap_${CALL}`, outcome: "approved", ...terms }, "g", b.rules));
  return b;
}

async function lose(b: Bundle, shard: string): Promise<void> {
  const key = keys.era();
  const { now, documents } = await b.state.read([key]);
  const version = documents[0]?.version ?? 0;
  const value = await signedEra({ era: 2, raisedAt: now, reason: "test", lost: [{ shard, lostAt: now }] }, version + 1);
  await b.state.commit(HOME_SHARD, { op: `lose:${shard}`, guards: [{ key, version }], put: [{ key, value }] });
}
