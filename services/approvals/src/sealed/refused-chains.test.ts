import {
  type ChainedRecord,
  type CheckpointView,
  HOME_SHARD,
  type JsonObject,
  type Jwks,
  keys,
  type RefusedDocument,
} from "@toolbus/contracts";
import { auditHeader, auditLine, generateSigningKey, signCheckpoint, signerOf, verifyAudit } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { type HttpAnswer, setup as setupApprovals } from "../testing/approvals-under-test.ts";
import { bigRefund, refund } from "../testing/writes-under-test.ts";

describe("a chain whose end somebody has overwritten", () => {
  it.each(["unsealed", "forged"] as const)("gets no more records while its end is %s, and operators see this end", async (why) => {
    await using t = await setup();
    await t.hold(bigRefund(1));
    await t.chained();
    const before = await t.records();
    expect(await t.refused()).toEqual([]);
    await t.overwrite(why);
    await t.hold(bigRefund(2));
    await t.restart();
    expect(await t.refused()).toEqual([expect.objectContaining({ document: HEAD, kind: "chain", why, adoptable: true })]);
    expect(await t.records()).toEqual(before);
  });

  it.each(["unsealed", "forged"] as const)(
    "continues without a lost record when an operator adopts the %s end, and verify names the break",
    async (why) => {
      await using t = await setup();
      await t.hold(bigRefund(1));
      await t.chained();
      await t.overwrite(why);
      await t.hold(bigRefund(2));
      const [found] = await t.refused();
      expect(await t.adopt(found)).toMatchObject({ status: 200 });
      expect(await t.adopt(found)).toMatchObject({ status: 200 });
      await t.chained();
      const records = await t.records();
      expect(records.map(({ n, record }) => [n, (record as JsonObject)["event"]])).toEqual([
        [1, "held"],
        [2, "chain_continued"],
        [3, "held"],
      ]);
      expect(records[1]).toMatchObject({ attested: true, record: { by: "otto", document: HEAD, why } });
      expect(await t.refused()).toEqual([]);
      const verdict = await t.verified();
      expect(verdict).toMatchObject({
        broken: null,
        missing: [expect.stringMatching(/followed record 1: the end of the chain was forged/)],
      });
    },
  );

  it("continues on a replica that has never seen the genuine end, and the replicas that have seen it accept the new one", async () => {
    await using t = await setup();
    for (const n of [1, 2, 3]) {
      await t.hold(bigRefund(n));
      await t.chained();
    }
    const other = await t.sealedOfReplica();
    expect((await other.read([HEAD])).documents[0]?.opened.kind).toBe("genuine");
    await t.overwrite("unsealed");
    await t.restart();
    expect(await t.adopt((await t.refused())[0])).toMatchObject({ status: 200 });
    expect((await other.read([HEAD])).documents[0]?.opened.kind).toBe("genuine");
  });

  it.each(["malformed", "under a foreign key"])("is not continued if the last checkpoint is %s", async (what) => {
    await using t = await setup();
    await t.hold(bigRefund(1));
    await t.chained();
    const [record] = await t.records();
    const foreign = await signerOf(await generateSigningKey());
    const signed = await signCheckpoint({ tenant: "acme", n: 1, hash: record?.["hash"] as string, at: 1 }, foreign);
    const checkpoint = what === "malformed" ? { n: 1 } : { ...signed };
    await t.overwrite("unsealed", { log: keys.auditCheckpoints("acme"), entries: [checkpoint] });
    expect(await t.adopt((await t.refused())[0])).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/No genuine checkpoint/) },
    });
    expect(await t.records()).toHaveLength(1);
  });
});

const HEAD = keys.auditHead("acme");

async function setup() {
  const t = await setupApprovals({ tools: [refund] });
  const records = async (): Promise<readonly JsonObject[]> =>
    (await t.store.range(keys.auditChain("acme"), { after: 0, limit: 100 })).map(({ value }) => value as JsonObject);
  return {
    ...t,
    /** Returns the records of the tenant's chain. */
    records,
    /** Overwrites the end of the tenant's chain, as somebody with access to the store can. */
    async overwrite(why: "unsealed" | "forged", ...append: readonly { readonly log: string; readonly entries: readonly JsonObject[] }[]) {
      const { documents } = await t.store.read([HEAD]);
      const { seal = null, ...end } = (documents[0]?.value ?? {}) as JsonObject;
      const value = { ...end, n: 7, ...(why === "forged" ? { seal } : {}) };
      const guards = [{ key: HEAD, version: documents[0]?.version ?? 0 }];
      await t.store.commit(HOME_SHARD, { op: "overwrite", guards, put: [{ key: HEAD, value }], append });
    },
    /** Returns the verdict on an export of the tenant's chain. */
    async verified() {
      const jwks = (await (await t.request(null, "/.well-known/jwks.json")).json()) as Jwks;
      const parts = await records();
      const checkpoints = await t.store.range(keys.auditCheckpoints("acme"), { after: 0, limit: 100 });
      const last = checkpoints.at(-1)?.value as unknown as CheckpointView;
      const lines = parts.map((record) => auditLine({ record: record as unknown as ChainedRecord }));
      return verifyAudit([auditHeader("acme", jwks), ...lines, auditLine({ checkpoint: last })]);
    },
    async refused(): Promise<readonly RefusedDocument[]> {
      return (await t.get("otto", "/v1/refused")).body["documents"] as unknown as readonly RefusedDocument[];
    },
    async adopt({ document, version }: Pick<RefusedDocument, "document" | "version"> = { document: "none", version: 1 }) {
      const headers = { "content-type": "application/json" };
      const answer = await t.request("otto", "/v1/refused/adopt", { method: "POST", headers, body: JSON.stringify({ document, version }) });
      return { status: answer.status, body: (await answer.json()) as HttpAnswer["body"] };
    },
  };
}
