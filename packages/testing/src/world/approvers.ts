import { approvalCallId, callParts, type Json, parseApproval } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import { type Answer, insist, sleep } from "./http-door.ts";
import { type PeopleOptions, REQUESTER } from "./persons.ts";

/** The people who decide held writes, each with their own token. Some also try what they may not do. */
export interface Approvers {
  /** Handles an approval that was stored. */
  notice(approval: Json): void;
}

const NAMES = ["amy", "ben", "cat"] as const;
const PATIENCE = 8;

interface Ticket {
  readonly ticket?: string;
}

interface Decision extends Ticket {
  readonly decision: string;
  readonly token: string;
}

export function approvers({ wire, observe, random, approvals, habits }: PeopleOptions): Approvers {
  const { clockwork } = wire;
  const noticed = new Set<string>();
  const options = {
    served: approvals,
    tries: PATIENCE,
    random,
    onFault: (error: string) => observe({ kind: "fault", at: clockwork.now, process: "approvals", error }),
  };
  return {
    notice(value) {
      const parsed = parseApproval(value);
      if (!parsed.ok || parsed.value.status !== "pending") return;
      const { approvalId, need, tier } = parsed.value;
      // An approval is written again when its request is repeated.
      if (noticed.has(approvalId)) return;
      noticed.add(approvalId);
      const ticket = tier === "critical" ? { ticket: `T-${callParts(approvalCallId(approvalId)).round}` } : {};
      if (random.chance(habits.cheats)) void cheat(approvalId, ticket);
      if (!random.chance(habits.ignores)) judge(approvalId, need, ticket);
    },
  };

  function judge(approvalId: string, need: number, ticket: Ticket): void {
    if (random.chance(habits.races)) {
      void decide("amy", approvalId, "approve", ticket);
      void decide("ben", approvalId, random.pick(["deny", "revise", "approve"]), ticket);
      return;
    }
    const word = random.chance(habits.denies) ? "deny" : random.chance(habits.revises) ? "revise" : "approve";
    for (const approver of NAMES.slice(0, need)) void decide(approver, approvalId, word, ticket);
  }

  async function decide(who: string, approvalId: string, decision: string, ticket: Ticket): Promise<void> {
    await think();
    const token = await tokenOf(who, approvalId);
    if (token === null) return;
    await post(who, approvalId, { decision, token, ...ticket });
    // Somebody clicks the same button, or the other one, a second time with the used token.
    if (random.chance(habits.cheats)) await post(who, approvalId, { decision: random.pick(["approve", "deny"]), token, ...ticket });
  }

  async function cheat(approvalId: string, ticket: Ticket): Promise<void> {
    await think();
    const first = (await tokenOf("amy", approvalId)) ?? "none";
    const own = (await tokenOf(REQUESTER.id, approvalId)) ?? first;
    await post(REQUESTER.id, approvalId, { decision: "approve", token: own, ...ticket });
    await post("ben", approvalId, { decision: "approve", token: first, ...ticket });
    // The same person approves twice, each time with another of their own tokens.
    const second = await tokenOf("amy", approvalId);
    await post("amy", approvalId, { decision: "approve", token: first, ...ticket });
    if (second !== null) await post("amy", approvalId, { decision: "approve", token: second, ...ticket });
  }

  async function tokenOf(who: string, approvalId: string): Promise<string | null> {
    const asked = { method: "GET", url: "/v1/approvals/:id", id: approvalId, principal: principalOf(who) } as const;
    const token = (await insist(wire, asked, options))?.body["decisionToken"];
    return typeof token === "string" ? token : null;
  }

  async function post(who: string, approvalId: string, body: Decision): Promise<void> {
    const asked = {
      method: "POST",
      url: "/v1/approvals/:id/decision",
      id: approvalId,
      body: { ...body },
      principal: principalOf(who),
    } as const;
    const answered: Answer | null = await insist(wire, asked, options);
    if (answered?.status !== 200) return;
    const { token, decision } = body;
    observe({
      kind: "decided",
      at: clockwork.now,
      approvalId,
      tokenId: `${who} ${token}`,
      decision,
      answer: JSON.stringify(answered.body),
    });
  }

  function think(): Promise<void> {
    return sleep(wire, random.magnitude(1, Math.max(2, habits.thinkMs)));
  }
}

function principalOf(id: string): Principal {
  if (id === REQUESTER.id) return REQUESTER;
  return { id, tenant: "acme", roles: ["approver"], scopes: ["approve:*"], keyId: `key of ${id}` };
}
