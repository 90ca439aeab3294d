import { argumentsHash, canonicalJson, planHash, verifySender } from "@toolbus/grants";
import type { Change } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { answerMaker } from "../answers/answers.ts";
import { approvalEventsIn } from "../answers/reported-approvals.ts";
import { type Facts, hold } from "../machine/approval.ts";
import { drifted, planned as moved } from "../machine/plan-moves.ts";
import { type Answer, claimsOf, until } from "../testing/approvals-under-test.ts";
import { asks, plan, plansUnderTest as setup } from "../testing/plans-under-test.ts";
import { call, own } from "../testing/writes-under-test.ts";

const MINUTE = 60_000;
const planOf = (answer: Answer) => claimsOf(answer).plan;

describe("a write whose tool offers a plan", () => {
  it("waits for its worker's plan, and its grant covers exactly the plan that was approved", async () => {
    await using t = await setup();
    const id = await t.hold(asks(100));
    await t.asked(1);
    expect(t.questions[0]).toContain('{"amount":100,"order":"ORD-1"}');
    expect(await t.card(id)).toMatchObject({ planning: true });
    expect(await t.decide("amy", id, "approve", { planHash: planHash(plan(1, 2)) })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("has not yet said what this write will change") },
    });
    await t.plans(id, asks(100), plan(300, 200));
    expect(await t.card(id)).toMatchObject({ plan: { round: 1, changes: [{ name: "balance", before: "300", after: "200" }] } });
    for (const planHash of [undefined, `sha256-${"A".repeat(43)}`])
      expect(await t.decide("amy", id, "approve", { planHash })).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect(await t.approve("amy", id)).toMatchObject({ status: 200, body: { status: "approved" } });
    const decided = await t.decided.next();
    expect(planOf(decided)).toEqual({ round: 1, hash: planHash(plan(300, 200)) });
    expect(await t.audit()).toContainEqual(
      expect.objectContaining({ event: "planned", by: "worker.orders", planHash: planHash(plan(300, 200)) }),
    );
    expect(await t.stored(id)).toMatchObject({ plans: [{ content: plan(300, 200), proof: expect.any(String) }] });
  });

  it("can be denied before it is planned", async () => {
    await using t = await setup();
    const id = await t.hold(asks(100));
    expect(await t.decide("amy", id, "deny", { comment: "no" })).toMatchObject({ status: 200, body: { status: "rejected" } });
  });

  it("is granted by policy without a plan, because nobody would read it", async () => {
    await using t = await setup();
    await t.ask(asks(20));
    expect(planOf(await t.decided.next())).toBeUndefined();
    expect(t.questions).toEqual([]);
  });

  it("ends if its worker cannot plan it, and the model reads why", async () => {
    await using t = await setup();
    await t.hold(asks(100));
    await t.say(asks(100), { problem: "There is no order ORD-1." });
    expect((await t.decided.next()).body).toMatchObject({
      outcome: "refused",
      reason: expect.stringContaining("There is no order ORD-1."),
    });
  });

  it("does not believe a plan that the toolset did not sign for exactly this call and these arguments", async () => {
    await using t = await setup();
    const id = await t.hold(asks(100));
    await t.say(asks(100), { plan: plan(1, 1) }, { as: "agent" });
    await t.say(asks(100), { plan: plan(2, 2) }, { about: { callId: call(2) } });
    await t.say(asks(99), { plan: plan(3, 3) });
    await t.say(asks(100), { plan: plan(4, 4) }, { about: { planHash: planHash(plan(5, 5)) } });
    await t.say(asks(100), { plan: plan(6, 6), drifted: 1 }, { signsRound: false });
    await until(async () => (await t.security()).length === 5);
    expect(await t.card(id)).toMatchObject({ planning: true });
    expect(new Set((await t.security()).map(({ kind }) => kind))).toEqual(new Set(["message_refused"]));
  });

  it("asks its worker again, later each time, until it answers", async () => {
    await using t = await setup();
    const id = await t.hold(asks(100));
    await t.asked(1);
    t.clock.now += 10_000;
    await t.asked(2);
    t.clock.now += 20_000;
    await t.asked(3);
    await t.plans(id, asks(100), plan(300, 200));
    // A second answer to the same question changes nothing.
    await t.say(asks(100), { plan: plan(9, 9) });
    await t.approve("amy", id);
    expect(planOf(await t.decided.next())).toEqual({ round: 1, hash: planHash(plan(300, 200)) });
  });

  it("is planned again when an approver edits it, and the edit alone approves nothing", async () => {
    await using t = await setup();
    const id = await t.hold(asks(100));
    await t.plans(id, asks(100), plan(300, 200));
    const edit = { arguments: asks(60).args, argumentsHash: argumentsHash(canonicalJson(asks(100).args)) };
    expect(await t.approve("amy", id, edit)).toMatchObject({
      status: 200,
      body: { status: "pending", planning: true, decisions: [{ isVoid: true }] },
    });
    await t.asked(2);
    expect(t.questions[1]).toContain('{"amount":60,"order":"ORD-1"}');
    // An answer about the earlier arguments comes late.
    await t.say(asks(100), { plan: plan(300, 200) });
    await t.plans(id, asks(60), plan(300, 240));
    expect(await t.security()).toEqual([]);
    const argumentsHashNow = argumentsHash(canonicalJson(asks(60).args));
    expect(await t.approve("amy", id, { argumentsHash: argumentsHashNow })).toMatchObject({ status: 200, body: { status: "approved" } });
    expect(claimsOf(await t.decided.next())).toMatchObject({
      argsHash: argumentsHashNow,
      plan: { round: 2, hash: planHash(plan(300, 240)) },
    });
  });
});

describe("a write whose target changed after it was approved", () => {
  async function approved() {
    const t = await setup();
    const id = await t.hold(asks(100));
    await t.plans(id, asks(100), plan(300, 200));
    const token = await t.token("amy", id);
    const first = await t.post("amy", id, { decision: "approve", token, planHash: planHash(plan(300, 200)) });
    await t.decided.next();
    return { ...t, [Symbol.asyncDispose]: t[Symbol.asyncDispose], id, used: token, first };
  }

  it("goes back to people with both plans, and the earlier approval does not count any more", async () => {
    await using t = await approved();
    await t.say(asks(100), { plan: plan(50, -50), drifted: 1 });
    await t.reopened(t.id);
    expect((await t.held.next()).body).toMatchObject({ approvalId: t.id });
    const card = await t.card(t.id);
    expect(card).toMatchObject({
      plan: {
        round: 2,
        changes: [{ name: "balance", before: "50", after: "-50" }],
        drifted: { changes: [{ name: "balance", before: "300", after: "200" }] },
      },
      decisions: [{ approver: "amy", isVoid: true, planHash: planHash(plan(300, 200)) }],
    });
    expect((await t.stored(t.id)).grant).toBeUndefined();
    expect(await t.audit()).toContainEqual(expect.objectContaining({ event: "drifted", by: "worker.orders", planRound: 2 }));
    expect((await t.get("amy", "/v1/approvals")).body["approvals"]).toMatchObject([{ id: t.id }]);
    expect((await t.get("amy", "/v1/approvals?status=approved")).body["approvals"]).toEqual([]);
    expect(await t.approve("amy", t.id)).toMatchObject({ status: 200, body: { status: "approved" } });
    expect(planOf(await t.decided.next())).toEqual({ round: 2, hash: planHash(plan(50, -50)) });
  });

  it("answers a repeat of the first decision as before, and approves nothing with it", async () => {
    await using t = await approved();
    t.clock.now += 5 * MINUTE;
    await t.say(asks(100), { plan: plan(50, -50), drifted: 1 });
    await t.reopened(t.id);
    const repeat = () => t.post("amy", t.id, { decision: "approve", token: t.used, planHash: planHash(plan(300, 200)) });
    expect(await repeat()).toEqual(t.first);
    expect(await t.stored(t.id)).toMatchObject({ status: "pending", decisions: [{ approver: "amy" }] });
    await t.approve("amy", t.id);
    await t.decided.next();
    await t.say(asks(100), { plan: plan(7, -7), drifted: 2 });
    await t.reopened(t.id);
    const { plan: shown, ...rest } = t.first.body as { readonly plan: { readonly changes: unknown } };
    const { changes: _, ...withoutChanges } = shown;
    expect((await repeat()).body).toEqual({ ...rest, plan: withoutChanges });
  });

  it("gives people as much time for each changed target as for the first one", async () => {
    await using t = await approved();
    const first = await t.stored(t.id);
    for (const round of [1, 2, 3]) {
      t.clock.now += 4 * MINUTE;
      await t.say(asks(100), { plan: plan(round, -round), drifted: round });
      await t.reopened(t.id);
      expect((await t.stored(t.id)).expiresAt - t.clock.now).toBe(first.expiresAt - first.requestedAt);
      await t.approve("amy", t.id);
      await t.decided.next();
    }
  });

  it("sends no answer any more that an earlier decision left in the outbox", async () => {
    await using t = await approved();
    const answers = answerMaker({ documents: { approval: () => t.stored(t.id) }, identity: own.identityOf("approvals") });
    const row = { message: { approvalId: t.id, n: 2, at: t.clock.now, answer: "decided" } };
    const answer = await answers(row);
    expect(answer?.id).toContain(t.id);
    expect(answer && (await verifySender(answer, own.trusted))).toEqual({ kind: "genuine", service: "approvals" });
    await t.say(asks(100), { plan: plan(50, -50), drifted: 1 });
    await t.reopened(t.id);
    expect(await answers(row)).toBeNull();
  });

  it("can be denied then", async () => {
    await using t = await approved();
    await t.say(asks(100), { plan: plan(50, -50), drifted: 1 });
    await t.reopened(t.id);
    await t.decide("ben", t.id, "deny");
    expect((await t.decided.next()).body).toMatchObject({ outcome: "rejected" });
  });

  it("keeps its arguments, because its worker has begun it", async () => {
    await using t = await approved();
    await t.say(asks(100), { plan: plan(50, -50), drifted: 1 });
    await t.reopened(t.id);
    const edit = { arguments: asks(60).args, argumentsHash: argumentsHash(canonicalJson(asks(100).args)) };
    expect(await t.approve("amy", t.id, edit)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("has begun this write") },
    });
  });

  it("is reopened once for each approved plan, and only by its toolset", async () => {
    await using t = await approved();
    await t.say(asks(100), { plan: plan(1, 1), drifted: 1 }, { as: "agent" });
    await until(async () => (await t.security()).length === 1);
    expect(await t.stored(t.id)).toMatchObject({ status: "approved" });
    await t.say(asks(100), { plan: plan(50, -50), drifted: 1 });
    await t.reopened(t.id);
    await t.approve("amy", t.id);
    await t.decided.next();
    // The worker repeats its first statement, and sends a statement about a plan that nobody approved.
    await t.say(asks(100), { plan: plan(50, -50), drifted: 1 });
    await t.say(asks(100), { plan: plan(50, -50), drifted: 3 });
    await t.say(asks(100), { plan: plan(7, 7), drifted: 2 });
    await t.reopened(t.id);
    expect(await t.stored(t.id)).toMatchObject({ plans: [{}, {}, { hash: planHash(plan(7, 7)) }] });
  });

  it("ends if the target changes again and again, so that nobody approves for ever", async () => {
    await using t = await approved();
    for (const round of [1, 2, 3]) {
      await t.say(asks(100), { plan: plan(round, -round), drifted: round });
      await t.reopened(t.id);
      await t.approve("amy", t.id);
      await t.decided.next();
    }
    await t.say(asks(100), { plan: plan(9, 9), drifted: 4 });
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringContaining("changed each time") });
  });

  it("stays as it is if its time to begin is over", async () => {
    await using t = await approved();
    t.clock.now += 25 * 60 * MINUTE;
    await t.say(asks(100), { plan: plan(50, -50), drifted: 1 });
    // The refused message that follows shows that approvals has read the plan.
    await t.say(asks(100), { plan: plan(1, 1), drifted: 1 }, { as: "agent" });
    await until(async () => (await t.security()).length === 1);
    expect(await t.stored(t.id)).toMatchObject({ status: "approved" });
  });
});

describe("the events of a write whose tool offers a plan", () => {
  it("tell people once that it is held, when its plan is on the card, and again about another plan", async () => {
    await using t = await setup();
    const id = await t.hold(asks(100));
    const {
      status: _,
      decisions: __,
      requestedAt: ___,
      expiresAt,
      endedAt: ____,
      sent: _____,
      need,
      planning: ______,
      ...facts
    } = await t.stored(id);
    const heldIn = (change: Change) => approvalEventsIn(change).filter(({ event }) => event === "approval.held");
    const rules = { APPROVAL_EXPIRY_MS: 1, EXECUTE_BY_MS: 60_000, GRANT_TTL_MS: 1, AUTO_GRANTS_PER_RUN: 1 };
    const moment = { now: t.clock.now, era: 1, rules };
    const held = hold(facts as Facts, { by: "people" }, moment, { terms: { need, expiresAt, plans: true } });
    expect(approvalEventsIn(held.change)).toEqual([]);
    const first = moved({ version: 1, value: held.approval }, { hash: "a", content: plan(1, 0), proof: "p" }, moment);
    if (first.kind !== "move") throw new Error("The plan was not accepted.");
    expect(heldIn(first.change)).toMatchObject([{ round: 1 }]);
    const grant = { issuedAt: 0, expiresAt: t.clock.now + 1, executeBy: t.clock.now + 60_000, era: 1 };
    const approved = { ...first.approval, status: "approved" as const, endedAt: t.clock.now, grant };
    const second = drifted({ version: 2, value: approved }, 1, { hash: "b", content: plan(2, 0), proof: "p" }, moment);
    if (second.kind !== "move") throw new Error("The approval was not reopened.");
    expect(heldIn(second.change)).toMatchObject([{ round: 2 }]);
  });
});
