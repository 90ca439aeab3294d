import type { ChainedRecord } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { chained, chainFault, linkOf } from "./audit-chain.ts";
import { signCheckpoint, verifyCheckpoint } from "./checkpoint.ts";
import { ownKeys } from "./own-keys.ts";

const chain = chainOf(12);

describe("a chain of audit records", () => {
  it("is whole as it was made, also as links without their content", () => {
    expect(chainFault(chain, null)).toBeNull();
    expect(chainFault(chain.map(linkOf), null)).toBeNull();
    expect(chainFault(chain.slice(4))).toBeNull();
  });

  it.each(chain.slice(0, -1).map(({ n }) => n))("names the record after record %i if that one is removed", (n) => {
    const without = chain.filter((one) => one.n !== n);
    expect(chainFault(without, null)).toBe(
      n === 1 ? "record 2 is not the first of its chain" : `record ${n + 1} does not follow record ${n - 1}`,
    );
  });

  it("names a record if any two are swapped", () => {
    for (const [first] of chain.entries())
      for (let second = first + 1; second < chain.length; second++) {
        const swapped = chain.toSpliced(first, 1, at(second)).toSpliced(second, 1, at(first));
        expect(chainFault(swapped, null)).toMatch(
          first === 0 ? /^record \d+ is not the first of its chain$/ : /^record \d+ does not follow record \d+$/,
        );
      }
  });

  it("names the record in which anything was changed, with and without a new hash", () => {
    for (const { n } of chain) {
      const one = at(n - 1);
      const record = { ...one.record, by: "mallory" };
      expect(chainFault(replaced(n, { ...one, record }), null)).toBe(`the content of record ${n} is not the chained one`);
      expect(chainFault(replaced(n, { ...one, attested: false }), null)).toBe(`the content of record ${n} is not the chained one`);
      expect(chainFault(replaced(n, { ...one, at: one.at + 1 }), null)).toBe(`the hash of record ${n} is not that of its fields`);
      // The attacker recomputes the hashes of the changed record. The next record still names the genuine hash.
      const again = chained(n === 1 ? null : at(n - 2), { ...one, record }, one);
      if (n < chain.length) expect(chainFault(replaced(n, again), null)).toBe(`record ${n + 1} does not name the hash of record ${n}`);
    }
  });
});

describe("a checkpoint", () => {
  it("is genuine only under the key of its signer, for exactly its fields", async () => {
    const own = await ownKeys(["approvals", "gateway"]);
    const { n, hash, at: time } = at(11);
    const checkpoint = await signCheckpoint({ tenant: "acme", n, hash, at: time }, own.identityOf("approvals").signer);
    const keys = own.trusted.of("approvals");
    expect(await verifyCheckpoint(checkpoint, keys)).toMatchObject({ kind: "genuine" });
    for (const change of [{ n: 11 }, { hash: at(10).hash }, { at: time + 1 }, { tenant: "other" }, { tenant: null }])
      expect(await verifyCheckpoint({ ...checkpoint, ...change }, keys)).toMatchObject({ kind: "forged" });
    expect(await verifyCheckpoint(checkpoint, own.trusted.of("gateway"))).toMatchObject({ kind: "unknown_key" });
  });
});

function at(index: number): ChainedRecord {
  const one = chain[index];
  if (!one) throw new Error("There is no such record.");
  return one;
}

function replaced(n: number, by: ChainedRecord): readonly ChainedRecord[] {
  return chain.map((one) => (one.n === n ? by : one));
}

function chainOf(length: number): readonly ChainedRecord[] {
  const records: ChainedRecord[] = [];
  for (let n = 1; n <= length; n++) {
    const content = { source: { shard: "03", sequence: n }, attested: true, record: { event: "held", by: "amy", n } };
    records.push(chained(records.at(-1) ?? null, content, { tenant: "acme", at: 1_800_000_000_000 + n }));
  }
  return records;
}
