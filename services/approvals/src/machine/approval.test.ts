import {
  type Approval,
  APPROVAL_OUTCOMES,
  approvalIdOf,
  type DecisionKind,
  type DecisionToken,
  keys,
  parseApproval,
  parseDecisionToken,
  shardOf,
} from "@toolbus/contracts";
import { type Change, memoryStore, type StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { cancel, decide, expire, type Facts, hold, type Holding, type Moment, type Read, RENEW_BELOW_MS, resend } from "./approval.ts";
import { tenantHash } from "../tenant-hash.ts";
import { call, CONVERSATION, RUN, START } from "../testing/writes-under-test.ts";

const MINUTE = 60_000;
const rules = { APPROVAL_EXPIRY_MS: 15 * MINUTE, EXECUTE_BY_MS: 60 * MINUTE, GRANT_TTL_MS: 15 * MINUTE, AUTO_GRANTS_PER_RUN: 2 };
const at = (now: number, era = 1): Moment => ({ now, era, rules });

function facts(tier: Facts["tier"] = "high"): Facts {
  return {
    callId: call(1),
    approvalId: approvalIdOf(call(1)),
    correlationId: "c",
    runId: RUN,
    conversationId: CONVERSATION,
    tenant: "acme",
    requester: "rita",
    agent: "default",
    toolName: "issue_refund",
    toolVersion: "1",
    toolHash: "hash",
    toolset: "orders",
    arguments: "{}",
    argsHash: "args",
    tier,
    reasons: [],
    idempotency: "none",
    effect: "Refund.",
  };
}

function held(tier?: Facts["tier"]): Read<Approval> {
  return { version: 1, value: hold(facts(tier), { by: "people" }, at(START)).approval };
}

function token(used: DecisionToken["used"] = null): Read<DecisionToken> {
  return {
    version: 2,
    value: { approvalId: approvalIdOf(call(1)), approver: "amy", createdAt: START, expiresAt: START + 15 * MINUTE, used },
  };
}

const made = (decision: DecisionKind, approver = "amy") => ({ approver, decision, via: "http", tokenHash: `token of ${approver}` });

const ENDED = APPROVAL_OUTCOMES.filter((outcome) => outcome !== "approved");

describe("the life of an approval", () => {
  it.each([
    [{ by: "people" }, "pending", "held"],
    [{ by: "policy" }, "approved", "decided"],
    [{ by: "limit", reason: "too many" }, "limit", "decided"],
    [{ by: "refused", reason: "no origin" }, "refused", "decided"],
  ] as const)("begins by %o as %s", (holding, status, answer) => {
    const { approval, change } = hold(facts(), holding, at(START));
    expect(approval).toMatchObject({ status, endedAt: status === "pending" ? null : START, sent: 1 });
    expect(change.outbox).toMatchObject([{ topic: `approval.${answer}.default`, message: { answer, n: 1, at: START } }]);
    expect(approval.grant !== undefined).toBe(status === "approved");
  });

  it("has a timer and a place in the list exactly while it is pending", () => {
    const begun = hold(facts(), { by: "people" }, at(START));
    const ends = [
      decide(held(), token(), made("deny"), at(START)),
      expire(held(), at(START + 15 * MINUTE)),
      cancel(held(), "over", at(START)),
    ];
    expect(begun.change).toMatchObject({ timers: [{ dueIn: 15 * MINUTE }], index: [{ score: START }] });
    for (const end of ends) {
      if (end.kind !== "move") throw new Error("An end is a move.");
      expect(end.change.timers).toMatchObject([{ dueIn: null }]);
      expect(end.change.index?.filter(({ index }) => index === keys.pendingApprovals())).toMatchObject([{ score: null }]);
    }
  });

  it("is in the lists of what ended, by the time of its end, as soon as it has ended and never before", () => {
    const listed = (change: Change): unknown[] =>
      (change.index ?? []).filter(({ index }) => index.startsWith("index.approvals.ended.")).map(({ index, score }) => [index, score]);
    const [all, rejected, approved] = [undefined, "rejected", "approved"].map((outcome) =>
      keys.endedApprovals(tenantHash("acme"), outcome),
    );
    expect(listed(hold(facts(), { by: "people" }, at(START)).change)).toEqual([]);
    const denied = decide(held(), token(), made("deny"), at(START + 1));
    if (denied.kind !== "move") throw new Error("a denial ends it");
    const byDenial = [
      [all, START + 1],
      [rejected, START + 1],
    ];
    expect(listed(denied.change)).toEqual(byDenial);
    expect(listed(resend({ version: 2, value: denied.approval }, null, at(START + MINUTE)).change)).toEqual(byDenial);
    expect(listed(hold(facts("low"), { by: "policy" }, at(START)).change)).toEqual([
      [all, START],
      [approved, START],
    ]);
    expect(listed(hold({ ...facts(), tenant: "" }, { by: "refused", reason: "no origin" }, at(START)).change)).toEqual([]);
  });

  it("names its commits so that they can be told from outside", () => {
    const id = approvalIdOf(call(1));
    const moves = [
      hold(facts(), { by: "people" }, at(START)),
      decide(held(), token(), made("approve"), at(START)),
      expire(held(), at(START + 15 * MINUTE)),
      cancel(held(), "over", at(START)),
    ];
    const ops = moves.map((move) => (move.kind === "move" ? move.change.op.slice(0, move.change.op.indexOf(id) + id.length + 1) : ""));
    expect(ops).toEqual([`hold:${id}:`, `decide:${id}:`, `expire:${id}:`, `cancel:${id}:`]);
  });

  it.each(ENDED)("is over once it is %s: nothing moves it", (status) => {
    const final: Read<Approval> = { version: 3, value: { ...held().value, status, endedAt: START } };
    expect(decide(final, token(), made("approve"), at(START))).toEqual({
      kind: "illegal",
      why: status === "expired" ? "expired" : "final",
    });
    expect(expire(final, at(START + 60 * MINUTE))).toEqual({ kind: "illegal", why: "final" });
    expect(cancel(final, "over", at(START))).toEqual({ kind: "illegal", why: "final" });
    const { sent, ...rest } = resend(final, null, at(START)).approval;
    expect({ ...rest, sent: 1 }).toEqual(final.value);
    expect(sent).toBe(2);
  });

  it("does not expire before its time, and is not decided after it", () => {
    expect(expire(held(), at(START + 15 * MINUTE - 1))).toEqual({ kind: "illegal", why: "not_due" });
    expect(decide(held(), token(), made("approve"), at(START + 15 * MINUTE + 1))).toEqual({ kind: "illegal", why: "expired" });
    expect(decide(held(), token(), made("approve"), at(START))).toMatchObject({ change: { notAfter: START + 15 * MINUTE } });
  });

  it("needs two distinct people when it is critical; one person twice does not count", () => {
    const first = decide(held("critical"), token(), made("approve"), at(START));
    if (first.kind !== "move") throw new Error("the first decision counts");
    expect(first.approval.status).toBe("pending");
    expect(first.change.outbox?.map(({ message }) => message)).toMatchObject([{ answer: "held", n: 2 }]);
    const then: Read<Approval> = { version: 2, value: first.approval };
    expect(decide(then, token(), { ...made("approve"), tokenHash: "another token" }, at(START))).toEqual({ kind: "illegal", why: "twice" });
    expect(decide(then, token(), made("approve", "ben"), at(START))).toMatchObject({
      approval: { status: "approved", decisions: [{ approver: "amy" }, { approver: "ben" }] },
    });
  });

  it("renews a grant that is about to be stale, and leaves a fresh one unchanged", () => {
    const granted: Read<Approval> = { version: 1, value: hold(facts("low"), { by: "policy" }, at(START)).approval };
    const edge = START + rules.GRANT_TTL_MS - RENEW_BELOW_MS;
    expect(resend(granted, null, at(edge)).approval.grant).toEqual(granted.value.grant);
    expect(resend(granted, null, at(edge + 1)).approval.grant).toMatchObject({
      issuedAt: edge + 1,
      executeBy: granted.value.grant?.executeBy,
    });
    expect(resend(granted, null, at(START, 2)).approval.grant).toMatchObject({ era: 2 });
  });

  it("renews nothing past execute-by, after a cancel, or when its pin changed", () => {
    const granted: Read<Approval> = { version: 1, value: hold(facts("low"), { by: "policy" }, at(START)).approval };
    const cancelled = cancel(granted, "over", at(START + 1));
    if (cancelled.kind !== "move") throw new Error("an approved write can be cancelled");
    expect(cancelled.approval.status).toBe("approved");
    const answers = [
      resend(granted, null, at(START + rules.EXECUTE_BY_MS)),
      resend({ version: 2, value: cancelled.approval }, null, at(START + 2)),
      resend(granted, "it changed", at(START + 20 * MINUTE)),
    ];
    expect(answers.map(({ change }) => change.outbox?.[0]?.message)).toMatchObject([
      { answer: "lapsed" },
      { answer: "lapsed" },
      { answer: "withdrawn", reason: "it changed" },
    ]);
    for (const { approval } of answers) expect(approval.grant?.issuedAt).toBe(START);
  });
});

describe("transitions that race for one approval", () => {
  const moves: Readonly<
    Record<string, (read: Read<Approval>, amy: Read<DecisionToken>) => { readonly kind: string; readonly change?: Change }>
  > = {
    approve: (read, amy) => decide(read, amy, made("approve"), at(START)),
    deny: (read, amy) => decide(read, amy, made("deny"), at(START)),
    revise: (read, amy) => decide(read, amy, made("revise"), at(START)),
    expire: (read) => expire(read, at(START + 15 * MINUTE)),
    cancel: (read) => cancel(read, "over", at(START)),
  };
  const pairs = Object.keys(moves).flatMap((one) => Object.keys(moves).flatMap((other) => (one === other ? [] : [[one, other] as const])));

  it.each(pairs)("%s before %s: the first wins, the second is stale and changes nothing", async (one, other) => {
    const store = memoryStore({ clock: () => START });
    const { approval, token: amy } = await stored(store);
    const [first, second] = [moves[one]?.(approval, amy), moves[other]?.(approval, amy)];
    expect(await commit(store, first?.change)).toBe("ok");
    const before = await store.read([keys.approval(approvalIdOf(call(1)))]);
    expect(await commit(store, second?.change)).toBe("stale");
    expect(await store.read([keys.approval(approvalIdOf(call(1)))])).toEqual(before);
    expect(await commit(store, first?.change)).toBe("ok");
    expect(await store.range(keys.audit(shardOf(RUN)), { after: 0, limit: 10 })).toHaveLength(
      first?.change?.append?.[0]?.entries.length ?? -1,
    );
  });

  it("another request under the same call id is not a repeat of the first", async () => {
    const store = memoryStore({ clock: () => START });
    const holding: Holding = { by: "people" };
    expect(await commit(store, hold(facts(), holding, at(START)).change)).toBe("ok");
    expect(await commit(store, hold(facts(), holding, at(START)).change)).toBe("ok");
    expect(await commit(store, hold({ ...facts(), argsHash: "other" }, holding, at(START)).change)).toBe("stale");
  });
});

/** Stores a pending approval and a token of amy's, and leaves the audit empty. */
async function stored(store: StateStore): Promise<{ approval: Read<Approval>; token: Read<DecisionToken> }> {
  const { append: _, ...change } = hold(facts(), { by: "people" }, at(START)).change;
  const key = keys.token(approvalIdOf(call(1)), made("approve").tokenHash);
  await store.commit(shardOf(RUN), {
    ...change,
    guards: [...change.guards, { key, version: 0 }],
    put: [...(change.put ?? []), { key, value: token().value }],
  });
  const id = approvalIdOf(call(1));
  const { documents } = await store.read([keys.approval(id), keys.token(id, made("approve").tokenHash)]);
  const [approval, decisionToken] = documents;
  const parsed = { approval: parseApproval(approval?.value), token: parseDecisionToken(decisionToken?.value) };
  if (!approval || !parsed.approval.ok || !decisionToken || !parsed.token.ok) throw new Error("the approval was not stored");
  return {
    approval: { version: approval.version, value: parsed.approval.value },
    token: { version: decisionToken.version, value: parsed.token.value },
  };
}

async function commit(store: StateStore, change: Change | undefined): Promise<string> {
  if (!change) throw new Error("this move is illegal");
  return (await store.commit(shardOf(RUN), change)).outcome;
}
