import type { ApprovalEvidence } from "@toolbus/contracts";
import { argumentsHash, canonicalJson, evidenceText, verifyEvidence } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { setup } from "../testing/approvals-under-test.ts";
import { asks, plan, plansUnderTest } from "../testing/plans-under-test.ts";
import { bigRefund, bigWire, call, payout, refund, smallRefund } from "../testing/writes-under-test.ts";

async function verified(t: Pick<Awaited<ReturnType<typeof setup>>, "chained" | "get">, id: string) {
  await t.chained();
  const { chained: _, ...evidence } = (await t.get("otto", `/v1/approvals/${id}/evidence`)).body as unknown as ApprovalEvidence;
  const verdict = await verifyEvidence(evidenceText(evidence, null));
  return { ...verdict, approvers: evidence.part.grant?.claims.approvers.map(({ sub }) => sub) };
}

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

  it("holds for a write that two people approved after one of them changed its arguments, and names only who approved these", async () => {
    await using t = await setup({ tools: [refund, payout] });
    const asked = { callId: call(1), tool: payout, args: { order: "ORD-1", amount: 5000 } };
    const id = await t.hold(asked);
    const hash = (amount: number) => argumentsHash(canonicalJson({ order: "ORD-1", amount }));
    await t.decide("amy", id, "approve", { ticket: "OPS-1" });
    await t.decide("ben", id, "approve", { ticket: "OPS-1", arguments: { order: "ORD-1", amount: 4000 }, argumentsHash: hash(5000) });
    await t.decide("amy", id, "approve", { ticket: "OPS-1", argumentsHash: hash(4000) });
    const { broken, approvers } = await verified(t, id);
    expect({ broken, approvers }).toEqual({ broken: null, approvers: ["ben", "amy"] });
  });

  it("holds for a write whose target changed after the first approval, and shows that the toolset signed the approved plan", async () => {
    await using t = await plansUnderTest();
    const id = await t.hold(asks(100));
    await t.plans(id, asks(100), plan(300, 200));
    await t.approve("amy", id);
    await t.say(asks(100), { plan: plan(50, -50), drifted: 1 });
    await t.reopened(id);
    await t.approve("ben", id);
    const { broken, approvers, checked } = await verified(t, id);
    expect({ broken, approvers }).toEqual({ broken: null, approvers: ["ben"] });
    expect(checked).toContain("A worker of the toolset signed the plan that was approved.");
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
