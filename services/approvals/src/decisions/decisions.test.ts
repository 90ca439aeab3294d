import { attributes, type Json, keys } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import { type StateStore, StoreUnavailable } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { claimsOf, setup } from "../testing/approvals-under-test.ts";
import { bigRefund, bigWire, putDocument, putOrigin, refund, START } from "../testing/writes-under-test.ts";

const MINUTE = 60_000;

describe("a decision over HTTP", () => {
  it("to approve grants the write, and the worker's own check agrees", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const answer = await t.decide("amy", id, "approve", { comment: "fine" });
    expect(answer).toMatchObject({
      status: 200,
      body: { id, status: "approved", decisions: [{ approver: "amy", decision: "approve", at: START, via: "http", comment: "fine" }] },
    });
    expect(JSON.stringify(answer.body)).not.toContain("tokenHash");
    const decided = await t.decided.next();
    expect(decided.body).toMatchObject({ outcome: "approved", decidedBy: ["amy"] });
    expect(await t.verdict(decided, bigRefund(1), { tier: "high", need: 1 })).toMatchObject({ kind: "granted" });
    expect(claimsOf(decided)).toMatchObject({ jti: id, requester: "rita", approvers: [{ sub: "amy", via: "http" }] });
    expect((await t.audit()).map(({ event, by }) => [event, by])).toEqual([
      ["held", "default"],
      ["decision", "amy"],
      ["approved", "amy"],
    ]);
  });

  it.each([
    ["deny", "rejected"],
    ["revise", "revision_requested"],
  ])("to %s ends it as %s without a grant, and the comment reaches the agent", async (decision, outcome) => {
    await using t = await setup();
    const id = await t.hold(bigWire(1));
    expect(await t.decide("amy", id, decision, { comment: "half of it" })).toMatchObject({ status: 200, body: { status: outcome } });
    const { body, message } = await t.decided.next();
    expect(body).toMatchObject({ outcome, comment: "half of it" });
    expect(message.attributes[attributes.grant]).toBeUndefined();
  });

  it("repeated with the same token gets the same answer, also after later commits and in a new process", async () => {
    await using t = await setup();
    const id = await t.hold(bigWire(1));
    const token = await t.token("amy", id);
    const request = { decision: "approve", token, ticket: "T-1" };
    const first = await t.post("amy", id, request);
    expect(first).toMatchObject({ status: 200, body: { status: "pending" } });
    expect(await t.post("amy", id, request)).toEqual(first);
    expect(await t.decide("ben", id, "approve")).toMatchObject({ status: 200, body: { status: "approved" } });
    await t.restart();
    t.clock.now += 20 * MINUTE;
    expect(await t.post("amy", id, request)).toEqual(first);
    expect((await t.stored(id)).decisions).toHaveLength(2);
  });

  it("posted ten times at once counts once, and every answer is the same", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const token = await t.token("amy", id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => t.post("amy", id, { decision: "approve", token })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect((await t.audit()).filter(({ event }) => event === "decision")).toHaveLength(1);
  });

  it("with a used token and another decision is 409 token_used", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const token = await t.token("amy", id);
    await t.post("amy", id, { decision: "deny", token });
    expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({ status: 409, body: { code: "token_used" } });
    expect(await t.stored(id)).toMatchObject({ status: "rejected" });
    expect(await t.security()).toMatchObject([{ kind: "token_reused", by: "amy" }]);
  });

  it("with another approver's token, another approval's or a foreign one is 403", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const other = await t.hold(bigRefund(2));
    const tokens = [await t.token("ben", id), await t.token("amy", other), "not-a-token-of-anybody"];
    for (const token of tokens)
      expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(await t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
    expect((await t.security()).map(({ kind }) => kind)).toEqual(["unknown_token", "unknown_token", "unknown_token"]);
  });

  it("by the requester, or by the principal behind a trigger, is 403 self_approval, whatever scopes they hold", async () => {
    await using t = await setup();
    await putOrigin(t.store, { principal: "rita", via: { kind: "trigger", principal: "amy" } });
    const id = await t.hold(bigRefund(1));
    const token = await t.token("ben", id);
    for (const who of ["rita", "amy"] as const) {
      expect(await t.post(who, id, { decision: "approve", token })).toMatchObject({ status: 403, body: { code: "self_approval" } });
      expect((await t.get(who, `/v1/approvals/${id}`)).body).toMatchObject({
        mayDecide: false,
        mayNotBecause: expect.stringMatching(/asked for this yourself/),
      });
    }
    expect(await t.stored(id)).toMatchObject({ status: "pending" });
  });

  it("that comes second is 409 already_decided and says how it ended", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const late = await t.token("ben", id);
    await t.decide("amy", id, "deny");
    const answer = await t.post("ben", id, { decision: "approve", token: late });
    expect(answer).toMatchObject({
      status: 409,
      body: { code: "already_decided", detail: expect.stringMatching(/"rejected"/), errors: [{ path: "/status", message: "rejected" }] },
    });
  });

  it("after the expiry is 410, before the timer and after it", async () => {
    await using t = await setup({ env: { POLL_MS: "60000" } });
    const id = await t.hold(bigRefund(1));
    const token = await t.token("amy", id);
    t.clock.now += 15 * MINUTE + 1;
    for (let i = 0; i < 2; i++)
      expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({ status: 410, body: { code: "expired" } });
    expect((await t.decided.next()).body).toMatchObject({ outcome: "expired" });
    expect(t.decided.unread).toBe(0);
  });

  it("that was in time when it was read but not when it was stored is 410: the store judges", async () => {
    const pauses = { ms: 0 };
    const clock: { now?: { now: number } } = {};
    await using t = await setup({
      env: { POLL_MS: "60000" },
      wrapStore: (state) => pausing(state, () => (clock.now ? (clock.now.now += pauses.ms) : 0)),
    });
    clock.now = t.clock;
    const id = await t.hold(bigRefund(1));
    const token = await t.token("amy", id);
    pauses.ms = 16 * MINUTE;
    expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({ status: 410, body: { code: "expired" } });
    expect(await t.stored(id)).toMatchObject({ status: "expired", decisions: [] });
  });

  it("whose commit got no answer is repeated, and counts once", async () => {
    const lost = { left: 1 };
    await using t = await setup({ wrapStore: (state) => losingReplies(state, lost) });
    const id = await t.hold(bigRefund(1));
    expect(await t.decide("amy", id, "approve")).toMatchObject({ status: 200, body: { status: "approved" } });
    expect(lost.left).toBe(0);
    expect((await t.audit()).filter(({ event }) => event === "decision")).toHaveLength(1);
  });

  it("on a critical write needs a ticket and two distinct approvers", async () => {
    await using t = await setup();
    const id = await t.hold(bigWire(1));
    const token = await t.token("amy", id);
    // An earlier version gave a new token with each GET, so amy may have a second one.
    const spare = "an-earlier-token-of-amy-s";
    await storeToken(t, id, spare, "amy");
    expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({
      status: 400,
      body: { code: "invalid_request", errors: [{ path: "/ticket" }] },
    });
    expect(await t.post("amy", id, { decision: "approve", token, ticket: "T-1" })).toMatchObject({
      status: 200,
      body: { status: "pending", approversNeeded: 2 },
    });
    // The agent receives the names of the people who have approved.
    expect((await t.held.next()).body).toMatchObject({ approvalId: id, tier: "critical", approvedBy: ["amy"] });
    expect(await t.post("amy", id, { decision: "approve", token: spare, ticket: "T-1" })).toMatchObject({
      status: 403,
      body: { detail: expect.stringMatching(/already decided this/) },
    });
    expect((await t.get("amy", `/v1/approvals/${id}`)).body).toMatchObject({ mayDecide: false });
    expect(t.decided.unread).toBe(0);
    expect(await t.decide("ben", id, "approve")).toMatchObject({ status: 200, body: { status: "approved" } });
    const decided = await t.decided.next();
    expect(claimsOf(decided)).toMatchObject({ need: 2, ticket: "T-1", approvers: [{ sub: "amy" }, { sub: "ben" }] });
    expect(await t.verdict(decided, bigWire(1), { tier: "critical", need: 2 })).toMatchObject({ kind: "granted" });
  });

  it("on a critical write that one approved and the other denies ends it as rejected", async () => {
    await using t = await setup();
    const id = await t.hold(bigWire(1));
    await t.decide("amy", id, "approve", { ticket: "T-1" });
    expect(await t.decide("ben", id, "deny")).toMatchObject({ status: 200, body: { status: "rejected" } });
    expect((await t.decided.next()).body).toMatchObject({ outcome: "rejected", decidedBy: ["amy", "ben"] });
  });

  it("needs the scope of the tier, the role approver, the tenant and a key", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const token = "somebody-s-token-that-is-none";
    await storeToken(t, id, token, "cat");
    expect(await t.post("cat", id, { decision: "approve", token })).toMatchObject({
      status: 403,
      body: { detail: expect.stringMatching(/approve:high/) },
    });
    expect(await t.post("otto", id, { decision: "approve", token })).toMatchObject({ status: 403 });
    expect(await t.post("una", id, { decision: "approve", token })).toMatchObject({ status: 403 });
    expect(await t.post("zed", id, { decision: "approve", token })).toMatchObject({ status: 404 });
    expect(await t.post(null, id, { decision: "approve", token })).toMatchObject({ status: 401 });
    expect(await t.stored(id)).toMatchObject({ status: "pending" });
  });

  it("with unknown fields, an unknown decision or no token is 400", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const token = await t.token("amy", id);
    for (const body of [{ decision: "approve", token, approved: true }, { decision: "yes", token }, { decision: "approve" }, []]) {
      expect(await t.post("amy", id, body)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    }
  });

  it("to approve is 409 when the pin changed in the meantime; to deny is not", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const token = await t.token("amy", id);
    const { documents } = await t.store.read([keys.pin(refund.name)]);
    await putDocument(t.store, keys.pin(refund.name), { ...(documents[0]?.value as object), enabled: false });
    expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect(await t.post("amy", id, { decision: "deny", token })).toMatchObject({ status: 200, body: { status: "rejected" } });
  });
});

describe("two decisions that race", () => {
  it.each([
    ["approve", "approve"],
    ["approve", "deny"],
    ["deny", "approve"],
  ])("%s against %s: one counts, the other gets 409 with the final state", async (one, other) => {
    await using t = await setup();
    for (let n = 1; n <= 10; n++) {
      const id = await t.hold(bigRefund(n));
      const [amy, ben] = [await t.token("amy", id), await t.token("ben", id)];
      const answers = await Promise.all([
        t.post("amy", id, { decision: one, token: amy }),
        t.post("ben", id, { decision: other, token: ben }),
      ]);
      const final = await t.stored(id);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
      expect(answers.find(({ status }) => status === 200)?.body["status"]).toBe(final.status);
      expect(answers.find(({ status }) => status === 409)?.body["errors"]).toEqual([{ path: "/status", message: final.status }]);
      expect(final.decisions).toHaveLength(1);
      expect((await t.decided.next()).body).toMatchObject({ approvalId: id, outcome: final.status });
    }
    expect(t.decided.unread).toBe(0);
  });

  it("two approvers of a critical write both count", async () => {
    await using t = await setup();
    const id = await t.hold(bigWire(1));
    const [amy, ben] = [await t.token("amy", id), await t.token("ben", id)];
    const answers = await Promise.all([
      t.post("amy", id, { decision: "approve", token: amy, ticket: "T-1" }),
      t.post("ben", id, { decision: "approve", token: ben, ticket: "T-1" }),
    ]);
    expect(new Set(answers.map(({ body }) => body["status"]))).toEqual(new Set(["pending", "approved"]));
    expect(claimsOf(await t.decided.next()).approvers).toHaveLength(2);
  });

  it("a decision against the expiry: both report what is stored", async () => {
    await using t = await setup({ env: { POLL_MS: "1" } });
    const seen = new Set<unknown>();
    for (let n = 1; n <= 20; n++) {
      const id = await t.hold(bigRefund(n));
      const token = await t.token("amy", id);
      const posted = t.post("amy", id, { decision: "approve", token });
      for (let turn = 0; turn < n; turn++) await new Promise((resolve) => setImmediate(resolve));
      t.clock.now += 15 * MINUTE + 1;
      const { status } = await posted;
      const { body } = await t.decided.next();
      expect(body).toMatchObject({ approvalId: id, outcome: status === 200 ? "approved" : "expired" });
      expect(await t.stored(id)).toMatchObject({ status: body["outcome"] });
      seen.add(status);
    }
    expect([...seen].every((status) => status === 200 || status === 410)).toBe(true);
    expect(t.decided.unread).toBe(0);
  });
});

/** Stores a token that the service would not have issued. */
async function storeToken(
  t: { write(key: string, value: Json): Promise<void> },
  approvalId: string,
  token: string,
  approver: string,
): Promise<void> {
  const value = { approvalId, approver, createdAt: START, expiresAt: START + 15 * MINUTE, used: null };
  await t.write(keys.token(approvalId, secretHash(token)), value);
}

/** Returns a store that delays every decision. */
function pausing(state: StateStore, pause: () => void): StateStore {
  return {
    ...state,
    async commit(shard, change) {
      if (change.op.startsWith("decide:")) pause();
      return state.commit(shard, change);
    },
  };
}

/** Returns a store that stores a decision and then loses the reply. */
function losingReplies(state: StateStore, lost: { left: number }): StateStore {
  return {
    ...state,
    async commit(shard, change) {
      const reply = await state.commit(shard, change);
      if (!change.op.startsWith("decide:") || lost.left === 0) return reply;
      lost.left--;
      throw new StoreUnavailable("no answer");
    },
  };
}
