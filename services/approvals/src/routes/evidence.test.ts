import type { ApprovalEvidence } from "@toolbus/contracts";
import { evidenceText, verifyEvidence } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { setup } from "../testing/approvals-under-test.ts";
import { bigRefund, bigWire, smallRefund } from "../testing/writes-under-test.ts";

describe("the evidence of approvals about a write", () => {
  it.each([
    ["that one person approved", bigRefund(1), ["amy"], "approve", "approved"],
    ["that one person denied", bigRefund(2), ["amy"], "deny", "rejected"],
    ["that two people approved", bigWire(3), ["amy", "ben"], "approve", "approved"],
    ["that policy granted", smallRefund(4), [], "approve", "approved"],
  ] as const)("holds for a write %s", async (_, asked, people, decision, status) => {
    await using t = await setup();
    const id = people.length === 0 ? await t.ask(asked) : await t.hold(asked);
    for (const who of people) await t.decide(who, id, decision, { ticket: "OPS-1" });
    await t.chained();
    const { chained, ...evidence } = (await t.get("otto", `/v1/approvals/${id}/evidence`)).body as unknown as ApprovalEvidence;
    expect(chained).toBe(true);
    expect(evidence.part.approval).toMatchObject({ status, requester: "rita", effect: expect.any(String) });
    const verdict = await verifyEvidence(evidenceText(evidence, null));
    expect(verdict.broken).toBeNull();
    expect(verdict.missing).toEqual([
      ...(status === "approved" ? [expect.stringMatching(/^The grant as the worker got it/)] : []),
      expect.stringMatching(/^The call, its result/),
    ]);
    expect(verdict.checked.join(" ")).toMatch(/The gateway signed who asked.+signed the pin.+every decision and the outcome/);
  });

  it("shows the grant as it was signed only when nobody can use it any more", async () => {
    await using t = await setup();
    const id = await t.ask(smallRefund(1));
    await t.decided.next();
    const read = async (): Promise<ApprovalEvidence> =>
      (await t.get("otto", `/v1/approvals/${id}/evidence`)).body as unknown as ApprovalEvidence;
    expect((await read()).part.grant).toMatchObject({ signed: null, claims: { jti: id } });
    t.clock.now += 16 * 60_000;
    const { chained: _, ...late } = await read();
    expect(late.part.grant?.signed).toMatch(/^eyJ/);
    expect((await verifyEvidence(evidenceText(late, null))).broken).toBeNull();
  });

  it("has neither a token nor the hash of one, and shows other writes of the tenant as links only", async () => {
    // The chainer copies everything at once, so that one piece of the chain has the records of both writes.
    const gate = Promise.withResolvers<void>();
    await using t = await setup({
      wrapStore: (store) => ({
        ...store,
        async commit(shard, change) {
          if (change.op.startsWith("chain:03:")) await gate.promise;
          return store.commit(shard, change);
        },
      }),
    });
    const [first, second] = [await t.hold(bigRefund(1)), await t.hold(bigRefund(2))];
    await t.decide("amy", first, "approve");
    await t.decide("amy", second, "deny", { comment: "a word about the second" });
    gate.resolve();
    await t.chained();
    const text = JSON.stringify((await t.get("otto", `/v1/approvals/${first}/evidence`)).body);
    expect(text).not.toMatch(/tokenHash|a word about the second/);
    expect(text).not.toContain(second);
    const { part } = JSON.parse(text) as ApprovalEvidence;
    expect(part.audit.flatMap(({ records }) => records).some((one) => !("record" in one))).toBe(true);
  });

  it("is not found for the operator of another tenant", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    expect((await t.get("oda", `/v1/approvals/${id}/evidence`)).status).toBe(404);
    expect((await t.get("otto", "/v1/approvals/ap_rn_zz_1.1.0/evidence")).status).toBe(404);
  });
});
