import type { ChainedRecord, CheckpointView, Jwks } from "@toolbus/contracts";
import { chainFault, staticKeySet, verifyCheckpoint } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { setup } from "../testing/approvals-under-test.ts";
import { bigRefund, bigWire, smallRefund } from "../testing/writes-under-test.ts";

describe("the audit over HTTP", () => {
  it("lists what happened to each write, chained and up to a checkpoint that the published keys verify", async () => {
    await using t = await decided();
    const { records, head } = (await t.get("otto", "/v1/audit")).body as unknown as Page;
    const events = ["approved", "held", "decision", "approved", "held", "decision", "rejected"];
    expect(records.map(({ record }) => record["event"])).toEqual(events);
    expect(chainFault(records, null)).toBeNull();
    expect(records.every(({ attested, tenant }) => attested && tenant === "acme")).toBe(true);
    const { checkpoints, keys } = (await t.get("otto", "/v1/audit/checkpoints?order=desc&limit=1")).body as unknown as Checkpoints;
    const [last] = checkpoints;
    expect(last).toMatchObject({ n: head?.n, hash: head?.hash, tenant: "acme" });
    expect(last && (await verifyCheckpoint(last, staticKeySet(keys)))).toMatchObject({ kind: "genuine" });
  });

  it("filters by time, tool, event and approval", async () => {
    await using t = await decided();
    const listed = async (query: string): Promise<readonly unknown[]> =>
      ((await t.get("otto", `/v1/audit?${query}`)).body as unknown as Page).records.map(({ record }) => record["event"]);
    expect(await listed("tool=wire_transfer")).toEqual(["held", "decision", "rejected"]);
    expect(await listed("event=approved")).toHaveLength(2);
    expect(await listed(`approval=${t.refunded}`)).toEqual(["held", "decision", "approved"]);
    expect(await listed(`approval=${t.refunded}&order=desc&limit=2`)).toEqual(["approved", "decision"]);
    expect(await listed(`since=${t.clock.now - 500}`)).toEqual(["decision", "rejected"]);
    expect(await listed(`until=${t.clock.now - 500}&tool=wire_transfer`)).toEqual(["held"]);
  });

  it("has each record once on its pages, in both orders", async () => {
    await using t = await decided();
    for (const order of ["asc", "desc"]) {
      const numbers: number[] = [];
      for (let cursor: string | undefined = ""; cursor !== undefined;) {
        const page: Page = (await t.get("otto", `/v1/audit?limit=2&order=${order}${cursor === "" ? "" : `&cursor=${cursor}`}`))
          .body as unknown as Page;
        numbers.push(...page.records.map(({ n }) => n));
        cursor = page.cursor;
      }
      expect(order === "asc" ? numbers : numbers.toReversed()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    }
  });

  it("shows no tenant the records of another one, and everybody's operator the events without a tenant", async () => {
    await using t = await decided();
    expect((await t.get("oda", "/v1/audit")).body).toEqual({ records: [], head: null });
    expect((await t.get("oda", `/v1/audit?approval=${t.refunded}`)).body["records"]).toEqual([]);
    const system = (await t.get("oda", "/v1/audit?chain=system")).body as unknown as Page;
    expect(system.records.map(({ record }) => record["event"])).toEqual(["pinned", "pinned", "pinned"]);
    expect(chainFault(system.records, null)).toBeNull();
  });

  it.each(["cursor=1", "cursor=a1e9", "limit=0", "since=yesterday", "chain=other", "approval=x"])("refuses %s", async (query) => {
    await using t = await setup();
    expect((await t.get("otto", `/v1/audit?${query}`)).status).toBe(400);
  });
});

interface Page {
  readonly records: readonly ChainedRecord[];
  readonly head: { readonly n: number; readonly hash: string } | null;
  readonly cursor?: string;
}

interface Checkpoints {
  readonly checkpoints: readonly CheckpointView[];
  readonly keys: Jwks;
}

/** Three writes of one tenant: one that policy granted, one that was approved and, a second later, one that was denied. */
async function decided() {
  const t = await setup();
  await t.ask(smallRefund(1));
  await t.decided.next();
  const refunded = await t.hold(bigRefund(2));
  await t.decide("amy", refunded, "approve");
  const wired = await t.hold(bigWire(3));
  t.clock.now += 1000;
  await t.decide("amy", wired, "deny");
  await t.chained();
  return { ...t, refunded };
}
