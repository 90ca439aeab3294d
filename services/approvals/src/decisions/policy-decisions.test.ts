import { type Message, message, messageTypes, topics } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { type Options, setup, until } from "../testing/approvals-under-test.ts";
import { bigRefund, bigWire, refund, register, smallRefund, START } from "../testing/writes-under-test.ts";

const MINUTE = 60_000;
const groups: Options["groups"] = { amy: ["finance"], ben: ["ops", "finance"] };

describe("a write under a policy", () => {
  it("that raises its tier waits for people, who see the reason, the rule and the version", async () => {
    const policy = "version: 1\nrules:\n  - { name: all-refunds, tools: [issue_refund], tier: high, reason: every refund is looked at }\n";
    await using t = await setup({ policy });
    const id = await t.hold(smallRefund(1));
    const { body } = await t.get("amy", `/v1/approvals/${id}`);
    const version = expect.stringMatching(/^sha256-/);
    expect(body).toMatchObject({ tier: "high", reasons: ["every refund is looked at"], policy: { version, rules: ["all-refunds"] } });
    expect(await t.decide("amy", id, "approve")).toMatchObject({
      status: 200,
      body: { status: "approved", decisions: [{ policy: version }] },
    });
    // The worker's own definition demands less, so it accepts the grant.
    expect(await t.verdict(await t.decided.next(), smallRefund(1), { tier: "medium", need: 0 })).toMatchObject({ kind: "granted" });
    expect(await t.audit()).toMatchObject([
      { event: "held", policy: version },
      { event: "decision", policy: version, policyAtDecision: version },
      { event: "approved", policy: version },
    ]);
  });

  it.each([
    ["HITL_MODE", "required"],
    ["WRITE_TOOLS", "issue_refund"],
  ])("waits for people with %s=%s, however low its tier", async (name, value) => {
    await using t = await setup({ env: { [name]: value } });
    const id = await t.hold(smallRefund(1));
    expect(await t.stored(id)).toMatchObject({ status: "pending", tier: "high", need: 1 });
  });

  it("can ask for people of a tier that policy grants by default", async () => {
    await using t = await setup({ policy: "version: 1\ntiers:\n  medium: { approvers: 1 }\n" });
    const id = await t.hold(smallRefund(1));
    expect((await t.get("amy", `/v1/approvals/${id}`)).body).toMatchObject({ tier: "medium", approversNeeded: 1, mayDecide: true });
    expect((await t.get("ben", `/v1/approvals/${id}`)).body).toMatchObject({ mayDecide: false });
  });

  it("is decided only by those whom every list names", async () => {
    const policy =
      "version: 1\ntiers:\n  high: { from: [group:finance] }\nrules:\n  - { name: by-ben, needs: { from: [approver:ben, role:auditor] } }\n";
    await using t = await setup({ policy, groups });
    const id = await t.hold(bigRefund(1));
    expect((await t.get("amy", `/v1/approvals/${id}`)).body).toMatchObject({
      mayDecide: false,
      mayNotBecause: "The policy lets only these decide: approver:ben, role:auditor.",
    });
    expect(await t.decide("ben", id, "approve")).toMatchObject({ status: 200, body: { status: "approved" } });
  });

  it("needs one person of each group, and nobody else can take their places", async () => {
    const policy = "version: 1\ntiers:\n  high: { groups: { finance: 1, ops: 1 } }\n";
    await using t = await setup({ policy, groups: { ...groups, rita: ["ops"] } });
    const id = await t.hold(bigRefund(1));
    expect(await t.decide("amy", id, "approve")).toMatchObject({
      status: 200,
      body: { status: "pending", approversNeeded: 2, decisions: [{ approver: "amy", groups: ["finance"] }] },
    });
    expect(await t.decide("ben", id, "approve")).toMatchObject({ status: 200, body: { status: "approved" } });
    expect(await t.verdict(await t.decided.next(), bigRefund(1), { tier: "high", need: 1 })).toMatchObject({ kind: "granted" });
  });

  it("tells a person who cannot help which group is missing, and records no attack if two people of one group race", async () => {
    const policy = "version: 1\ntiers:\n  high: { groups: { finance: 1, ops: 1 } }\n";
    await using t = await setup({ policy, groups: { amy: ["finance"], ben: ["finance"] } });
    const id = await t.hold(bigRefund(1));
    const [amy, ben] = [await t.token("amy", id), await t.token("ben", id)];
    const answers = await Promise.all([
      t.post("amy", id, { decision: "approve", token: amy }),
      t.post("ben", id, { decision: "approve", token: ben }),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 403]));
    expect(answers.find(({ status }) => status === 403)?.body["detail"]).toBe('This still needs 1 person of the group "ops".');
    expect(await t.stored(id)).toMatchObject({ status: "pending", decisions: { length: 1 } });
    expect(await t.security()).toEqual([]);
  });

  it("needs a ticket of the policy's form", async () => {
    await using t = await setup({ policy: 'version: 1\ntiers:\n  high: { ticket: "^CHG-[0-9]{4}$" }\n' });
    const id = await t.hold(bigRefund(1));
    const token = await t.token("amy", id);
    expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({
      status: 400,
      body: { detail: "Approving this write needs its ticket." },
    });
    expect(await t.post("amy", id, { decision: "approve", token, ticket: "T-1" })).toMatchObject({
      status: 400,
      body: { detail: "The ticket does not have the form that the policy demands: ^CHG-[0-9]{4}$", errors: [{ path: "/ticket" }] },
    });
    expect(await t.post("amy", id, { decision: "approve", token, ticket: "CHG-1234" })).toMatchObject({ status: 200 });
  });

  it("waits for days if the policy says so, and ends when this time is over", async () => {
    await using t = await setup({ policy: "version: 1\ntiers:\n  high: { expires: 3d }\n" });
    const id = await t.hold(bigRefund(1));
    t.clock.now += 3 * 24 * 60 * MINUTE - 1;
    expect((await t.get("amy", `/v1/approvals/${id}`)).body).toMatchObject({ mayDecide: true, expiresAt: START + 3 * 24 * 60 * MINUTE });
    t.clock.now += 2;
    expect((await t.decided.next()).body).toMatchObject({ approvalId: id, outcome: "expired" });
  });

  it("keeps what was demanded when it was asked for, while new writes get what the changed policy demands", async () => {
    await using t = await setup({ policy: "version: 1\ntiers:\n  high: { groups: { finance: 1, ops: 1 } }\n", groups });
    const id = await t.hold(bigRefund(1));
    const { policy } = await t.stored(id);
    await t.writePolicy("version: 1\n");
    let n = 2;
    await until(async () => {
      const small = await t.ask(smallRefund(n++));
      await t.decided.next();
      return (await t.stored(small)).policy?.version !== policy?.version;
    });
    expect(await t.stored(await t.hold(bigRefund(n)))).toMatchObject({ need: 1, policy: { rules: [] } });
    const answer = await t.decide("amy", id, "approve");
    expect(answer).toMatchObject({ status: 200, body: { status: "pending", approversNeeded: 2 } });
    const [made] = (await t.stored(id)).decisions;
    expect(made?.policy).not.toBe(policy?.version);
    expect(await t.decide("ben", id, "approve")).toMatchObject({ status: 200, body: { status: "approved" } });
  });

  it("waits under the last good policy while the file is broken, and readiness warns of it", async () => {
    await using t = await setup({ policy: "version: 1\ntiers:\n  high: { approvers: 2 }\n" });
    await t.writePolicy("version: 1\ntiers: [\n");
    await until(async () => (await t.get(null, "/readyz")).body["warnings"] !== undefined);
    expect(await t.get(null, "/readyz")).toMatchObject({
      status: 200,
      body: { status: "ready", warnings: [expect.stringMatching(/policy file cannot be used/)] },
    });
    expect(await t.stored(await t.hold(bigRefund(1)))).toMatchObject({ need: 2 });
  });

  it("of the tier critical still needs two people and a ticket under every policy", async () => {
    await using t = await setup({ policy: "version: 1\nrules:\n  - { name: calm, tier: low, reason: all is well }\n" });
    const id = await t.hold(bigWire(1));
    const token = await t.token("amy", id);
    expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({ status: 400 });
    expect(await t.post("amy", id, { decision: "approve", token, ticket: "T-1" })).toMatchObject({
      status: 200,
      body: { status: "pending" },
    });
  });

  it("tells the agent how many people it needs, if that is not the tier's own number", async () => {
    await using t = await setup({ policy: "version: 1\ntiers:\n  high: { approvers: 2 }\n" });
    await t.ask(bigRefund(1));
    expect((await t.held.next()).body).toMatchObject({ tier: "high", approversNeeded: 2 });
    await t.ask(bigWire(2));
    expect((await t.held.next()).body).not.toHaveProperty("approversNeeded");
  });

  it("that names a tool that is not registered is warned of, without the name, until the tool registers", async () => {
    const policy = "version: 1\nwriteTools: [issue_refund, close_account]\n";
    await using t = await setup({ policy });
    const { body } = await t.get(null, "/readyz");
    expect(body["warnings"]).toEqual([expect.stringMatching(/^The policy has 1 name of tools or toolsets that are not registered/)]);
    await register(t.store, { ...refund, name: "close_account" }, START);
    await t.bus.announce(announcement(START));
    await until(async () => (await t.get(null, "/readyz")).body["warnings"] === undefined);
  });
});

function announcement(now: number): Message {
  const body = { toolset: "orders", tools: ["close_account"] };
  return message({ id: "announce:1", topic: topics.toolAnnounce, type: messageTypes.toolAnnounce, source: "/tools/orders", now, body });
}
