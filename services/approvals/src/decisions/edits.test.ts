import { attributes, keys, type ToolDefinition } from "@toolbus/contracts";
import { argumentsHash, canonicalJson } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { claimsOf, setup as started } from "../testing/approvals-under-test.ts";
import { type Asked, call, putDocument, payout as anyPayout, refund } from "../testing/writes-under-test.ts";

const MINUTE = 60_000;

const payout: ToolDefinition = {
  ...anyPayout,
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["order", "amount"],
    properties: { order: { type: "string" }, amount: { type: "number", maximum: 9999 }, memo: { type: "string", default: "none" } },
  },
};
const args = (amount: number) => ({ order: "ORD-1", amount, memo: "none" });
const asks = (amount: number, n = 1): Asked => ({ callId: call(n), tool: payout, args: args(amount) });
const hashOf = (value: Parameters<typeof canonicalJson>[0]): string => argumentsHash(canonicalJson(value));

function setup() {
  return started({ tools: [refund, payout] });
}

describe("approving with edited arguments", () => {
  it("grants the edited ones with their own hash, and the worker's own check agrees", async () => {
    await using t = await setup();
    const id = await t.hold(asks(149));
    const edited = { order: "ORD-1", amount: 20 };
    const answer = await t.decide("amy", id, "approve", { arguments: edited, argumentsHash: hashOf(args(149)) });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: "approved",
        arguments: args(20),
        argumentsHash: hashOf(args(20)),
        effect: "Refund $20 for order ORD-1.",
        tier: "high",
        edited: {
          by: "amy",
          asked: { arguments: args(149), argumentsHash: hashOf(args(149)), effect: "Refund $149 for order ORD-1." },
          changes: [{ name: "amount", before: "149", after: "20" }],
        },
      },
    });
    const decided = await t.decided.next();
    expect(decided.body).toMatchObject({
      outcome: "approved",
      decidedBy: ["amy"],
      arguments: canonicalJson(args(20)),
      effect: "Refund $20 for order ORD-1.",
    });
    expect(claimsOf(decided)).toMatchObject({ argsHash: hashOf(args(20)), tier: "high", need: 1, approvers: [{ sub: "amy" }] });
    expect(await t.verdict(decided, asks(20), { tier: "medium", need: 0 })).toMatchObject({ kind: "granted" });
    expect(await t.verdict(decided, asks(149), { tier: "high", need: 1 })).not.toMatchObject({ kind: "granted" });
    const stored = await t.stored(id);
    expect(stored).toMatchObject({ argsHash: hashOf(args(20)), edited: { by: "amy" }, earlier: [{ argsHash: hashOf(args(149)) }] });
    expect(await t.audit()).toContainEqual(
      expect.objectContaining({ event: "approved", argsHash: hashOf(args(20)), askedArgsHash: hashOf(args(149)), editedBy: "amy" }),
    );
  });

  it("with those on the card changes nothing", async () => {
    await using t = await setup();
    const id = await t.hold(asks(149));
    const { body } = await t.decide("amy", id, "approve", { arguments: args(149) });
    expect([body["status"], body["edited"]]).toEqual(["approved", undefined]);
    expect((await t.decided.next()).body["arguments"]).toBeUndefined();
  });

  it("that break the schema is 400 with their place, and decides nothing", async () => {
    await using t = await setup();
    const id = await t.hold(asks(149));
    const answer = await t.decide("amy", id, "approve", { arguments: { order: "ORD-1", amount: 20_000 } });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: "invalid_request", errors: [{ path: "/arguments/amount" }] },
    });
    expect(await t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
    expect(await t.decide("amy", id, "approve", { arguments: args(20) })).toMatchObject({ status: 200 });
  });

  it.each([
    ["a denial", "deny", args(20), "/arguments"],
    ["a value that the card does not show", "approve", { order: "[redacted]", amount: 20 }, "/arguments/order"],
    ["a text that is too long to be kept", "approve", { order: "x".repeat(41_000), amount: 20 }, undefined],
  ])("is refused for %s", async (_, decision, edited, path) => {
    await using t = await setup();
    const id = await t.hold(asks(149));
    const answer = await t.decide("amy", id, decision, { arguments: edited });
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect((answer.body["errors"] as { path: string }[] | undefined)?.[0]?.path).toBe(path);
    expect(await t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });

  it("is 409 if the definition that was shown is no longer enabled", async () => {
    await using t = await setup();
    const id = await t.hold(asks(149));
    const token = await t.token("amy", id);
    const { documents } = await t.store.read([keys.pin(payout.name)]);
    await putDocument(t.store, keys.pin(payout.name), { ...(documents[0]?.value as object), enabled: false });
    const answer = await t.post("amy", id, { decision: "approve", token, arguments: args(20) });
    expect(answer).toMatchObject({ status: 409, body: { code: "conflict", detail: expect.stringContaining("no longer enabled") } });
  });

  it("repeated gets the same answer in a new process, and with other arguments the token is used", async () => {
    await using t = await setup();
    const id = await t.hold(asks(149));
    const request = { decision: "approve", token: await t.token("amy", id), arguments: args(20) };
    const first = await t.post("amy", id, request);
    await t.restart();
    t.clock.now += 20 * MINUTE;
    expect(await t.post("amy", id, request)).toEqual(first);
    for (const other of [
      { ...request, arguments: args(30) },
      { decision: "approve", token: request.token },
    ])
      expect(await t.post("amy", id, other)).toMatchObject({ status: 409, body: { code: "token_used" } });
    expect((await t.stored(id)).decisions).toHaveLength(1);
  });

  it("leaves repeats of the agent's request as they are: they get the grant for the edited arguments", async () => {
    await using t = await setup();
    const id = await t.hold(asks(149));
    await t.decide("amy", id, "approve", { arguments: args(20) });
    const first = await t.decided.next();
    await t.ask(asks(149));
    const again = await t.decided.next();
    expect(again.message.attributes[attributes.grant]).toBe(first.message.attributes[attributes.grant]);
    expect(again.body["arguments"]).toBe(canonicalJson(args(20)));
    expect(await t.security()).toEqual([]);
  });

  it("does not let an agent ask for the edited arguments under the same call", async () => {
    await using t = await setup();
    const id = await t.hold(asks(149));
    await t.decide("amy", id, "approve", { arguments: args(20) });
    await t.decided.next();
    await t.ask(asks(20));
    await t.ask(asks(149));
    expect((await t.decided.next()).body["outcome"]).toBe("approved");
    expect(await t.security()).toMatchObject([{ kind: "conflicting_request" }]);
  });
});

describe("an edit that reaches a higher tier", () => {
  it("needs that tier's approvers and its ticket", async () => {
    await using t = await setup();
    const id = await t.hold(asks(149));
    expect(await t.decide("amy", id, "approve", { arguments: args(5000) })).toMatchObject({
      status: 400,
      body: { code: "invalid_request" },
    });
    const answer = await t.decide("amy", id, "approve", { arguments: args(5000), ticket: "T-1" });
    expect(answer).toMatchObject({
      status: 200,
      body: { status: "pending", tier: "critical", approversNeeded: 2, reasons: expect.arrayContaining(["more than 1000"]) },
    });
    expect((await t.held.next()).body).toMatchObject({ tier: "critical", effect: "Refund $5000 for order ORD-1.", approvedBy: ["amy"] });
    await t.decide("ben", id, "approve", { argumentsHash: hashOf(args(5000)) });
    const decided = await t.decided.next();
    expect(await t.verdict(decided, asks(5000), { tier: "critical", need: 2 })).toMatchObject({ kind: "granted" });
    expect(claimsOf(decided)).toMatchObject({ ticket: "T-1", need: 2, approvers: [{ sub: "amy" }, { sub: "ben" }] });
  });

  it("is 403 for an approver of the lower tier alone", async () => {
    await using t = await setup();
    const id = await t.hold(asks(149));
    expect(await t.decide("hal", id, "approve", { arguments: args(5000), ticket: "T-1" })).toMatchObject({
      status: 403,
      body: { code: "forbidden", detail: expect.stringContaining("The edited arguments make this a critical write.") },
    });
    expect(await t.stored(id)).toMatchObject({ status: "pending", tier: "high", decisions: [] });
    expect(await t.decide("hal", id, "approve", { arguments: args(900) })).toMatchObject({ status: 200 });
  });

  it("keeps the tier of what was asked if it reaches a lower one", async () => {
    await using t = await setup();
    const id = await t.hold(asks(5000));
    expect(await t.decide("amy", id, "approve", { arguments: args(1), ticket: "T-1" })).toMatchObject({
      body: { status: "pending", tier: "critical", approversNeeded: 2, effect: "Refund $1 for order ORD-1." },
    });
  });
});

describe("an edit by the second approver", () => {
  /** Two approvers are needed. Amy has approved what was asked for, and ben has edited it. */
  async function voided() {
    const t = await setup();
    const id = await t.hold(asks(5000));
    const first = { decision: "approve", token: await t.token("amy", id), ticket: "T-1" };
    const firstAnswer = await t.post("amy", id, first);
    await t.held.next();
    const rita = await t.get("amy", `/v1/approvals/${id}`);
    await t.decide("ben", id, "approve", { arguments: args(2000), argumentsHash: hashOf(args(5000)), ticket: "T-2" });
    return { t, id, first, firstAnswer, before: rita.body, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
  }

  it("makes the first approval void, which the view says, and asks again", async () => {
    await using s = await voided();
    const { t, id } = s;
    expect(await t.get("amy", `/v1/approvals/${id}`)).toMatchObject({
      body: {
        status: "pending",
        mayDecide: true,
        effect: "Refund $2000 for order ORD-1.",
        decisions: [
          { approver: "amy", argumentsHash: hashOf(args(5000)), isVoid: true },
          { approver: "ben", argumentsHash: hashOf(args(2000)) },
        ],
      },
    });
    expect((await t.held.next()).body).toMatchObject({ effect: "Refund $2000 for order ORD-1.", approvedBy: ["ben"] });
  });

  it("lets the first approver approve the new arguments, and only those who did are in the grant", async () => {
    await using s = await voided();
    const { t, id } = s;
    expect(await t.decide("amy", id, "approve", { argumentsHash: hashOf(args(2000)) })).toMatchObject({
      status: 200,
      body: { status: "approved" },
    });
    const decided = await t.decided.next();
    expect(decided.body).toMatchObject({ decidedBy: ["ben", "amy"], arguments: canonicalJson(args(2000)) });
    expect(claimsOf(decided)).toMatchObject({ approvers: [{ sub: "ben" }, { sub: "amy" }], ticket: "T-2", argsHash: hashOf(args(2000)) });
    expect(await t.verdict(decided, asks(2000), { tier: "critical", need: 2 })).toMatchObject({ kind: "granted" });
  });

  it("refuses a decision on the older card with 409, and the token stays usable", async () => {
    await using s = await voided();
    const { t, id } = s;
    const token = await t.token("amy", id);
    for (const card of [{ argumentsHash: hashOf(args(5000)) }, {}])
      expect(await t.post("amy", id, { decision: "approve", token, ...card })).toMatchObject({
        status: 409,
        body: { code: "conflict", detail: '"ben" set other arguments than those on the card that you saw.' },
      });
    expect(await t.post("amy", id, { decision: "deny", token, argumentsHash: hashOf(args(5000)) })).toMatchObject({ status: 409 });
    expect((await t.stored(id)).status).toBe("pending");
    expect(await t.post("amy", id, { decision: "approve", token, argumentsHash: hashOf(args(2000)) })).toMatchObject({ status: 200 });
  });

  it("keeps the token that somebody else had before the edit", async () => {
    await using t = await setup();
    const id = await t.hold(asks(5000));
    const early = await t.token("ben", id);
    await t.decide("amy", id, "approve", { arguments: args(2000), ticket: "T-1" });
    expect(await t.post("ben", id, { decision: "approve", token: early, argumentsHash: hashOf(args(2000)) })).toMatchObject({
      status: 200,
      body: { status: "approved" },
    });
  });

  it("answers a repeat of the first approval as before", async () => {
    await using s = await voided();
    const { t, id, first, firstAnswer } = s;
    expect(await t.post("amy", id, first)).toEqual(firstAnswer);
    await t.decide("amy", id, "approve", { argumentsHash: hashOf(args(2000)) });
    expect(await t.post("amy", id, first)).toEqual(firstAnswer);
  });

  it("does not count the second approver twice", async () => {
    await using s = await voided();
    const { t, id } = s;
    expect(await t.get("ben", `/v1/approvals/${id}`)).toMatchObject({ body: { mayDecide: false } });
  });
});

describe("two edits at the same moment", () => {
  it("are ordered: one is made, and the other one is told that its card is older", async () => {
    await using t = await setup();
    const id = await t.hold(asks(5000));
    const seen = { argumentsHash: hashOf(args(5000)), ticket: "T-1", decision: "approve" };
    const [amy, ben] = [await t.token("amy", id), await t.token("ben", id)];
    const answers = await Promise.all([
      t.post("amy", id, { ...seen, token: amy, arguments: args(2000) }),
      t.post("ben", id, { ...seen, token: ben, arguments: args(3000) }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect((await t.stored(id)).decisions).toHaveLength(1);
  });

  it("are judged by the policy in use, which may add approvers, groups and a ticket, and the person's own approval counts for a place", async () => {
    const policy = `version: 1
rules:
  - name: large
    tools: [pay_out]
    when: { properties: { amount: { minimum: 500 } } }
    needs: { approvers: 2, groups: { finance: 1 }, ticket: "^CHG-[0-9]+$" }
`;
    await using t = await started({ tools: [refund, payout], policy, groups: { ben: ["finance"] } });
    const id = await t.hold(asks(149));
    const edit = { arguments: args(600), argumentsHash: hashOf(args(149)) };
    expect(await t.decide("amy", id, "approve", edit)).toMatchObject({
      status: 400,
      body: { detail: "Approving this write needs its ticket." },
    });
    expect(await t.decide("amy", id, "approve", { ...edit, ticket: "INC-1" })).toMatchObject({ status: 400 });
    const first = await t.decide("amy", id, "approve", { ...edit, ticket: "CHG-1" });
    expect(first).toMatchObject({
      status: 200,
      body: { status: "pending", approversNeeded: 2, policy: { rules: ["large"], groups: { finance: 1 }, tickets: ["^CHG-[0-9]+$"] } },
    });
    // Amy belongs to no group, so only a person of finance can fill the last place.
    expect((await t.get("hal", `/v1/approvals/${id}`)).body).toMatchObject({
      mayNotBecause: 'This still needs 1 person of the group "finance".',
    });
    // An edit back to a small amount removes none of these demands, and starts the count again.
    const back = await t.decide("ben", id, "approve", { arguments: args(20), argumentsHash: hashOf(args(600)), ticket: "CHG-1" });
    expect(back).toMatchObject({ status: 200, body: { status: "pending", approversNeeded: 2, policy: { groups: { finance: 1 } } } });
    expect(await t.decide("amy", id, "approve", { argumentsHash: hashOf(args(20)) })).toMatchObject({
      status: 200,
      body: { status: "approved" },
    });
  });
});
