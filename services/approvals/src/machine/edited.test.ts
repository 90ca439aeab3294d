import { type Approval, approvalIdOf, type DecisionToken, parseApproval } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { call, CONVERSATION, RUN, START } from "../testing/writes-under-test.ts";
import { decide, expire, type Facts, hold, type Moment } from "./approval.ts";
import { approvalAt, counting, type Edit } from "./edited.ts";

const EXPIRY_MS = 60_000;
const rules = { APPROVAL_EXPIRY_MS: EXPIRY_MS, EXECUTE_BY_MS: 3_600_000, GRANT_TTL_MS: 900_000, AUTO_GRANTS_PER_RUN: 2 };
const TIERS = ["high", "critical"] as const;
const NEED = { high: 1, critical: 2 } as const;
const PEOPLE = ["amy", "ben", "cat"] as const;

function facts(tier: (typeof TIERS)[number]): Facts {
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
    arguments: '{"n":0}',
    argsHash: "hash 0",
    tier,
    reasons: [],
    idempotency: "none",
    effect: "Refund 0.",
  };
}

/** Returns an edit as the judge would make it: the tier and the need never fall. */
function editOf(before: Approval, n: number, wanted: (typeof TIERS)[number]): Edit {
  const tier = before.tier === "critical" ? "critical" : wanted;
  return {
    arguments: `{"n":${n}}`,
    argsHash: `hash ${n}`,
    effect: `Refund ${n}.`,
    tier,
    reasons: [],
    need: Math.max(before.need, NEED[tier]),
  };
}

/** Returns whole numbers below a limit that depend only on the seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

interface Told {
  readonly person: string;
  readonly token: DecisionToken;
  readonly made: Parameters<typeof decide>[2];
  readonly on: Parameters<typeof decide>[4];
  readonly answer: Approval;
}

/** Plays one history of an approval with people who approve, edit, deny, read old cards and repeat themselves. Returns what was broken. */
function played(seed: number): { readonly broken: readonly string[]; readonly end: Approval; readonly edits: number } {
  const below = numbers(seed);
  const broken: string[] = [];
  const told: Told[] = [];
  // What each person approved last, with the arguments that the person saw.
  const agreed = new Map<string, string>();
  let approval = hold(facts(TIERS[below(2)] ?? "high"), { by: "people" }, moment(START)).approval;
  let now = START;
  let cards: string[] = [approval.argsHash];
  let edits = 0;
  for (let step = 0; step < 12; step++) {
    now += below(EXPIRY_MS / 4);
    const person = PEOPLE[below(3)] ?? "amy";
    const counts = counting(approval);
    const void_ = approval.decisions.filter((made) => made.approver === person && !counts.includes(made)).length;
    const tokenHash = `${person} ${void_}`;
    const decision = below(12) === 0 ? "deny" : "approve";
    const seen = below(4) === 0 ? undefined : below(4) === 0 ? cards[below(cards.length)] : approval.argsHash;
    const wants = decision === "approve" && below(3) === 0 ? 1 + below(5) : null;
    const edit = wants === null || `hash ${wants}` === approval.argsHash ? null : editOf(approval, wants, TIERS[below(2)] ?? "high");
    const used = approval.decisions.find((made) => made.tokenHash === tokenHash)?.decision ?? null;
    const token: DecisionToken = {
      approvalId: approval.approvalId,
      approver: person,
      createdAt: START,
      expiresAt: START + EXPIRY_MS,
      used,
    };
    const made = { approver: person, decision, via: "http", tokenHash, ...(wants === null ? {} : { sent: `sent ${wants}` }) } as const;
    const moved = decide({ version: 1, value: approval }, { version: 1, value: token }, made, moment(now), { seen, edit });
    if (moved.kind === "move") {
      if (approval.status !== "pending" || now > approval.expiresAt) broken.push(`${person} decided after the end`);
      if (seen !== undefined && seen !== approval.argsHash) broken.push(`${person} decided on an older card`);
      if (seen === undefined && decision === "approve" && approval.edited) broken.push(`${person} approved an edit unseen`);
      approval = moved.approval;
      if (edit) {
        edits++;
        agreed.clear();
      }
      if (decision === "approve") agreed.set(person, approval.argsHash);
      cards = [...cards, approval.argsHash];
      told.push({ person, token: { ...token, used: decision }, made, on: { seen, edit }, answer: approval });
    }
    for (const { token: first, made: again, on, answer } of told) {
      const repeat = decide({ version: 1, value: approval }, { version: 1, value: first }, again, moment(now), on);
      const { grant: _, sent: __, ...same } = answer;
      if (repeat.kind !== "repeat") broken.push(`a repeat is ${repeat.kind}`);
      else if (JSON.stringify(shown(repeat.approval)) !== JSON.stringify(shown(same as Approval)))
        broken.push("a repeat has another answer");
    }
  }
  if (approval.status === "pending") {
    const over = expire({ version: 1, value: approval }, { now: approval.expiresAt });
    if (over.kind === "move") approval = over.approval;
  }
  const voices = [...agreed].filter(([, hash]) => hash === approval.argsHash).map(([person]) => person);
  if (approval.status === "approved") {
    if (voices.length < approval.need) broken.push(`${voices.length} people agreed, and ${approval.need} are needed`);
    const counted = new Set(counting(approval).map(({ approver }) => approver));
    if (counted.size < approval.need || [...counted].some((person) => !voices.includes(person))) broken.push("the grant names others");
  }
  if (!parseApproval(approval).ok) broken.push("it cannot be stored");
  return { broken, end: approval, edits };
}

/** Returns the parts of an approval that its answer has, whatever the order of its fields. */
function shown({ status, decisions, arguments: args, argsHash, effect, tier, need, endedAt, edited, earlier = [] }: Approval): unknown {
  return [status, decisions, args, argsHash, effect, tier, need, endedAt, edited, earlier];
}

function moment(now: number): Moment {
  return { now, era: 1, rules };
}

describe("people who edit, approve and deny at once", () => {
  it("end it once, by as many people as are needed who saw the final arguments, and every repeat has its first answer: 10,000 histories", () => {
    const ends: Record<string, number> = {};
    let edited = 0;
    for (let seed = 1; seed <= 10_000; seed++) {
      const { broken, end, edits } = played(seed);
      expect([seed, broken]).toEqual([seed, []]);
      ends[end.status] = (ends[end.status] ?? 0) + 1;
      if (end.status === "approved" && edits > 0) edited++;
    }
    // Histories in which nothing happens would prove nothing.
    expect(Math.min(ends["approved"] ?? 0, ends["rejected"] ?? 0, ends["expired"] ?? 0, edited)).toBeGreaterThan(200);
  });
});

describe("an approval at an earlier time", () => {
  it("has the arguments and the decisions of that time", () => {
    const asked = hold(facts("critical"), { by: "people" }, moment(START)).approval;
    const by = (person: string) => ({ approver: person, decision: "approve", via: "http", tokenHash: person }) as const;
    const token = { version: 1, value: { approvalId: asked.approvalId, approver: "amy", createdAt: START, expiresAt: START, used: null } };
    const first = decide({ version: 1, value: asked }, token, by("amy"), moment(START + 1));
    if (first.kind !== "move") throw new Error(first.kind);
    const edit = editOf(first.approval, 5, "critical");
    const on = { seen: asked.argsHash, edit };
    const second = decide({ version: 1, value: first.approval }, token, { ...by("ben"), sent: "s" }, moment(START + 2), on);
    if (second.kind !== "move") throw new Error(second.kind);
    const { approval } = second;
    expect(approvalAt(approval, START)).toMatchObject({ argsHash: "hash 0", effect: "Refund 0.", decisions: [] });
    expect(approvalAt(approval, START + 1)).toMatchObject({ argsHash: "hash 0", decisions: [{ approver: "amy" }] });
    expect(approvalAt(approval, START + 2)).toMatchObject({ argsHash: "hash 5", edited: { by: "ben" }, earlier: [{ argsHash: "hash 0" }] });
    expect(approvalAt(approval, START + 1).edited).toBeUndefined();
  });
});
