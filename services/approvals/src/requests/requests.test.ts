import { attributes, keys, topics } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { claimsOf, setup, until } from "../testing/approvals-under-test.ts";
import { type Asked, bigRefund, call, note, putOrigin, refund, RUN, smallRefund, START, wire } from "../testing/writes-under-test.ts";

const MINUTE = 60_000;

describe("a request for a write", () => {
  it("is granted at once by policy when the tier is low, and the grant holds for exactly this call", async () => {
    await using t = await setup();
    const asked: Asked = { callId: call(1), tool: note, args: { amount: 1, order: "A" } };
    await t.ask(asked);
    const answer = await t.decided.next();
    expect(answer.body).toMatchObject({
      outcome: "approved",
      decidedBy: ["policy"],
      grantExpiresAt: START + 15 * MINUTE,
      executeBy: START + 24 * 60 * MINUTE,
    });
    expect(await t.verdict(answer, asked, { tier: "low", need: 0 })).toMatchObject({ kind: "granted" });
    expect(await t.verdict(answer, { ...asked, args: { amount: 2, order: "A" } }, { tier: "low", need: 0 })).toMatchObject({
      kind: "forged",
    });
    expect(answer.message.attributes).toMatchObject({
      [attributes.toolHash]: toolHash(note),
      [attributes.era]: "1",
      [attributes.agent]: "default",
    });
  });

  it("is granted at once and audited when the tier is medium, without its arguments", async () => {
    await using t = await setup();
    await t.ask(smallRefund(1));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
    const records = await t.audit();
    expect(records).toMatchObject([
      { event: "approved", by: "policy", tier: "medium", requester: "rita", tool: "issue_refund", callId: call(1), at: START },
    ]);
    expect(JSON.stringify(records)).not.toContain("ORD-1");
  });

  it("is held for people when the tier is high, with the effect from the pinned definition", async () => {
    await using t = await setup();
    const id = await t.ask(bigRefund(1));
    const { body, message } = await t.held.next();
    expect(body).toEqual({
      toolCallId: call(1),
      approvalId: id,
      tier: "high",
      expiresAt: START + 15 * MINUTE,
      effect: "Refund $149.99 for order ORD-8821.",
    });
    expect(message.correlationId).toBe(call(1));
    expect(await t.stored(id)).toMatchObject({ status: "pending", reasons: ["more than 50"], need: 1, requester: "rita", tenant: "acme" });
    expect(await t.stored(id)).toMatchObject({
      approvalId: id,
      callId: call(1),
      runId: RUN,
      toolName: "issue_refund",
      arguments: '{"amount":149.99,"order":"ORD-8821"}',
    });
    expect(t.decided.unread).toBe(0);
  });

  it("answers the agent that asked, on its own topic", async () => {
    await using t = await setup();
    const { promise, resolve } = Promise.withResolvers<string>();
    await t.bus.consume(topics.approvalDecided("sales"), async ({ message }) => (resolve(message.id), { kind: "ack" }), { concurrency: 1 });
    const id = await t.ask({ ...smallRefund(1), agent: "sales" });
    expect(await promise).toBe(`decided:${id}#1`);
  });

  it.each([
    ["the session is another", { lie: { sessionId: "cv_03_01HZX3V5J8K2M4N6P8Q0R2S4T1" } }, /session/],
    ["the tool is not pinned", { lie: { toolName: "drop_tables" } }, /not enabled/],
    ["the definition is another than the pinned one", { lie: { toolHash: toolHash(note) } }, /not the one that is enabled/],
    ["the version is another than the pinned one", { lie: { toolVersion: "7" } }, /version 1, not 7/],
    ["the arguments are not canonical", { lie: { arguments: '{"order":"A", "amount":1}' } }, /not canonical/],
    ["the arguments break the schema", { args: { amount: "much", order: "A" } }, /amount must be number/],
    ["the arguments claim to be approved", { args: { amount: 1, approved: true, order: "A" } }, /approved is not a known field/],
  ])("is refused in words when %s", async (_case, part, reason) => {
    await using t = await setup();
    const id = await t.ask({ ...bigRefund(1), ...part });
    const { body, message } = await t.decided.next();
    expect(body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(reason) });
    expect(message.attributes[attributes.grant]).toBeUndefined();
    expect((await t.audit()).at(-1)).toMatchObject({ event: "refused", approvalId: id });
  });

  it("never counts `approved: true` where the schema lets it through: it is an argument like any other", async () => {
    const lax = { ...anyWire(), name: "lax_write" };
    await using t = await setup({ tools: [lax] });
    const id = await t.hold({ callId: call(1), tool: lax, args: { amount: 1, approved: true, order: "A" } });
    expect(await t.stored(id)).toMatchObject({ status: "pending", need: 2 });
  });

  it("is refused when a default would change what is granted", async () => {
    const defaulted = { ...refund, parameters: { type: "object", properties: { amount: { type: "number", default: 5 } } } };
    await using t = await setup({ tools: [defaulted] });
    await t.ask({ callId: call(1), tool: defaulted, args: {} });
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/defaults/) });
  });

  it("is refused when its origin is no longer open, or lacks a scope of the tool", async () => {
    const scoped = { ...refund, scopes: ["orders", "money"] };
    await using t = await setup({ tools: [scoped] });
    await t.ask({ ...bigRefund(1), tool: scoped });
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/lacks the scope "money"/) });
    await putOrigin(t.store, { scopes: ["orders", "money"], openUntil: START });
    await t.ask({ ...bigRefund(2), tool: scoped });
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/too old/) });
  });

  it("is refused when the requester's name cannot be written into a grant, instead of never answered", async () => {
    await using t = await setup();
    await putOrigin(t.store, { principal: " rita " });
    await t.ask(smallRefund(1));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/No grant can be issued/) });
  });

  it("is refused when its arguments are too long to be judged", async () => {
    await using t = await setup();
    await t.ask({ ...bigRefund(1), args: { amount: 100, order: "x".repeat(60_000) } });
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/too long/) });
  });

  it("of a sub-run is judged by the origin of its root", async () => {
    await using t = await setup();
    await t.ask({ ...smallRefund(1), callId: `${RUN}~2.1.0` });
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
  });

  it("gets `limit` when policy granted this tool often enough under one origin, sub-runs included; another tool is still granted", async () => {
    await using t = await setup({ env: { AUTO_GRANTS_PER_RUN: "2" } });
    for (const callId of [call(1), `${RUN}~1.1.0`]) {
      await t.ask({ ...smallRefund(1), callId });
      expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
    }
    await t.ask(smallRefund(3));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "limit", reason: expect.stringMatching(/2 times/) });
    await t.ask({ callId: call(4), tool: note, args: { amount: 1, order: "A" } });
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
    await t.hold(bigRefund(5));
  });

  it("gets `limit` when policy granted this tool often enough to its requester within the hour, whatever the run; not in the next", async () => {
    await using t = await setup({ env: { AUTO_GRANTS_PER_HOUR: "2" } });
    const other = { runId: "rn_05_01HZX3V5J8K2M4N6P8Q0R2S4T8", conversationId: "cv_05_01HZX3V5J8K2M4N6P8Q0R2S4T6" };
    await putOrigin(t.store, { ...other, openUntil: START + 9_000_000 });
    const asked = (runId: string, n: number) => ({ ...smallRefund(n), callId: `${runId}.1.${n}` });
    for (const write of [asked(RUN, 1), asked(RUN, 2)]) {
      await t.ask(write);
      expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
    }
    await t.ask(asked(other.runId, 3), other.conversationId);
    expect((await t.decided.next()).body).toMatchObject({ outcome: "limit", reason: expect.stringMatching(/within an hour/) });
    t.clock.now += 3_600_000;
    await t.ask(asked(other.runId, 4), other.conversationId);
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
  });

  it("counts every grant of many that are requested at once", async () => {
    await using t = await setup({ env: { AUTO_GRANTS_PER_HOUR: "5" } });
    await Promise.all(Array.from({ length: 12 }, (_, n) => t.ask(smallRefund(n))));
    const outcomes = new Map<unknown, unknown>();
    while (outcomes.size < 12) {
      const { body } = await t.decided.next();
      outcomes.set(body["toolCallId"], body["outcome"]);
    }
    expect([...outcomes.values()].filter((outcome) => outcome === "approved")).toHaveLength(5);
  });

  it("delivered twenty times at once makes one approval and counts once", async () => {
    await using t = await setup({ env: { AUTO_GRANTS_PER_RUN: "2" } });
    const asked = smallRefund(1);
    await Promise.all(Array.from({ length: 20 }, () => t.ask(asked)));
    await t.ask(smallRefund(2));
    await t.ask(smallRefund(3));
    const outcomes = new Map<unknown, unknown>();
    while (outcomes.size < 3) {
      const { body } = await t.decided.next();
      outcomes.set(body["toolCallId"], body["outcome"]);
    }
    expect([...outcomes.values()].filter((outcome) => outcome === "approved")).toHaveLength(2);
    expect(outcomes.get(asked.callId)).toBe("approved");
    expect((await t.audit()).filter(({ event, callId }) => event === "approved" && callId === asked.callId)).toHaveLength(1);
  });

  it("with other arguments under the same call id is dropped with a security event", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    await t.ask({ ...bigRefund(1), args: { amount: 9999, order: "ORD-8821" } });
    await t.ask({ ...bigRefund(1), lie: { toolHash: toolHash(note) } });
    await t.hold(bigRefund(2));
    expect(await t.security()).toMatchObject([
      { kind: "conflicting_request", approvalId: id },
      { kind: "conflicting_request", approvalId: id },
    ]);
    expect(await t.stored(id)).toMatchObject({ status: "pending", sent: 1, effect: "Refund $149.99 for order ORD-8821." });
    expect(t.decided.unread).toBe(0);
  });

  it("under a shard that the store does not have, or an impossible agent, becomes a dead letter", async () => {
    await using t = await setup();
    const letters: string[] = [];
    const dead = topics.dead(topics.approvalRequest);
    await t.bus.consume(dead, async ({ message }) => (letters.push(message.body), { kind: "ack" }), { concurrency: 1 });
    await t.ask({ ...bigRefund(1), callId: "rn_ff_01HZX3V5J8K2M4N6P8Q0R2S4T7.1.0" });
    await t.ask({ ...bigRefund(1), agent: "a.b#" });
    await until(async () => letters.length === 2);
    expect(letters.join()).toMatch(/a shard that this store does not have.*the agent's name is invalid/s);
    expect(t.decided.unread).toBe(0);
  });
});

describe("a repeated request", () => {
  it("is answered with held again while people decide, under a new number", async () => {
    await using t = await setup();
    const id = await t.ask(bigRefund(1));
    const first = await t.held.next();
    await t.ask(bigRefund(1));
    const second = await t.held.next();
    expect(second.body).toEqual(first.body);
    expect([first.message.id, second.message.id]).toEqual([`held:${id}#1`, `held:${id}#2`]);
  });

  it.each(["approve", "deny", "revise"])("is answered with the old outcome after %s, by a new process too", async (decision) => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    await t.decide("amy", id, decision, { comment: "so be it" });
    const first = await t.decided.next();
    await t.restart();
    await t.ask(bigRefund(1));
    const second = await t.decided.next();
    expect(second.body).toEqual(first.body);
    expect(second.body).toMatchObject({ comment: "so be it", decidedBy: ["amy"] });
    expect(second.message.attributes).toEqual(first.message.attributes);
    expect(second.message.id).not.toBe(first.message.id);
  });

  it("gets a fresh grant of the same approval once the grant is stale", async () => {
    await using t = await setup();
    const asked = smallRefund(1);
    await t.ask(asked);
    const first = await t.decided.next();
    t.clock.now += 16 * MINUTE;
    expect(await t.verdict(first, asked, { tier: "medium", need: 0 })).toMatchObject({ kind: "stale", reason: "expired" });
    await t.ask(asked);
    const second = await t.decided.next();
    expect(await t.verdict(second, asked, { tier: "medium", need: 0 })).toMatchObject({ kind: "granted" });
    expect(claimsOf(second)).toMatchObject({ jti: claimsOf(first).jti, iat: t.clock.now / 1000 });
    expect(second.body).toMatchObject({ outcome: "approved", executeBy: first.body["executeBy"] });
    expect((await t.audit()).at(-1)).toMatchObject({ event: "renewed" });
  });

  it("gets a fresh grant when the era was raised", async () => {
    await using t = await setup();
    const asked = smallRefund(1);
    await t.ask(asked);
    await t.decided.next();
    await t.write(keys.era(), { era: 2, raisedAt: START, reason: "restored" });
    await t.ask(asked);
    const answer = await t.decided.next();
    expect(await t.verdict(answer, asked, { tier: "medium", need: 0, era: 2 })).toMatchObject({ kind: "granted" });
  });

  it("gets that the approval lapsed after execute-by; the stored outcome stays", async () => {
    await using t = await setup();
    const id = await t.ask(smallRefund(1));
    await t.decided.next();
    t.clock.now += 24 * 60 * MINUTE;
    await t.ask(smallRefund(1));
    const { body, message } = await t.decided.next();
    expect(body).toMatchObject({ outcome: "expired", reason: expect.stringMatching(/lapsed/) });
    expect(message.attributes[attributes.grant]).toBeUndefined();
    expect(await t.stored(id)).toMatchObject({ status: "approved" });
  });

  it("is refused a grant once its pin changed or was switched off", async () => {
    await using t = await setup();
    await t.ask(smallRefund(1));
    await t.decided.next();
    const { documents } = await t.store.read([keys.pin(refund.name)]);
    await t.write(keys.pin(refund.name), { ...(documents[0]?.value as object), enabled: false });
    await t.ask(smallRefund(1));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/switched off/) });
  });
});

/** Returns a critical write that accepts any arguments. */
function anyWire() {
  return { ...wire, parameters: { type: "object" } };
}
