import { type Approval, approvalCallId, callParts, isJsonObject, type Json, type JsonObject, parseApproval } from "@toolbus/contracts";
import { type Answer, insist, sleep } from "./http-door.ts";
import type { Card, Ticket } from "./approval-cards.ts";
import { batches } from "./batches.ts";
import { type PeopleOptions, principalOf, REQUESTER } from "./persons.ts";

/** The people who decide held writes, each with their own token. Some also try what they may not do. */
export interface Approvers {
  /** Handles an approval that was written to the store. */
  notice(approval: Json): void;
}

const NAMES = ["amy", "ben", "cat"] as const;
const PATIENCE = 8;

interface Decision extends Ticket {
  readonly decision: string;
  readonly token: string;
  readonly argumentsHash?: string;
  readonly planHash?: string;
  readonly arguments?: JsonObject;
}

export function approvers(people: PeopleOptions): Approvers {
  const { wire, observe, random, approvals, habits } = people;
  const { clockwork } = wire;
  // Edits draw from a separate stream of random numbers, so that the worlds of seeds without edits do not change.
  const edits = random.fork("edits");
  const noticed = new Set<string>();
  const options = {
    served: approvals,
    tries: PATIENCE,
    random,
    onFault: (error: string) => observe({ kind: "fault", at: clockwork.now, process: "approvals", error }),
  };
  const together = batches({
    ...people,
    cardOf,
    judge: ({ approvalId, need, ticket }) => judge(approvalId, need, ticket),
    interfere: ({ approvalId, ticket }) => void decide("ben", approvalId, "approve", ticket),
  });
  return {
    notice(value) {
      const parsed = parseApproval(value);
      if (!parsed.ok || parsed.value.status !== "pending") return;
      const { approvalId, need, tier, plans = [], planning } = parsed.value;
      const ticket = tier === "critical" ? { ticket: `T-${callParts(approvalCallId(approvalId)).round}` } : {};
      // Approvals writes an approval again when its request arrives again.
      const card = plans.length > 0 ? `${approvalId} with plan ${plans.length}` : approvalId;
      if (noticed.has(card)) return lookAgain(parsed.value, ticket);
      noticed.add(card);
      // Nobody can approve what no worker has planned. Somebody may try, or deny it at once.
      if (planning !== undefined && !random.chance(habits.cheats)) return;
      if (random.chance(habits.cheats)) void cheat(approvalId, ticket);
      if (random.chance(habits.ignores)) return;
      if (!together.take({ approvalId, tier, need, ticket })) judge(approvalId, need, ticket);
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

  /** If an edit has voided somebody's approval, lets this approver decide again. */
  function lookAgain({ approvalId, argsHash, edited, decisions }: Approval, ticket: Ticket): void {
    for (const { approver, argsHash: approved } of decisions) {
      const name = `${approvalId} ${argsHash} ${approver}`;
      if (edited === undefined || approved === argsHash || noticed.has(name)) continue;
      noticed.add(name);
      void decide(approver, approvalId, "approve", ticket);
    }
  }

  async function decide(who: string, approvalId: string, decision: string, ticket: Ticket): Promise<void> {
    await think();
    const card = await cardOf(who, approvalId);
    if (card === null) return;
    const { token, ...seen } = seenOn(card);
    const wanted = decision === "approve" && edits.chance(habits.edits) ? { ...card.arguments, n: edits.below(1001) } : null;
    // Somebody reads the card for so long that another person changes the arguments meanwhile, or the approval expires.
    if (habits.edits > 0 && edits.chance(0.3)) await sleep(wire, edits.magnitude(1, Math.max(2, habits.thinkMs)));
    if (wanted) observe({ kind: "edits", at: clockwork.now, approvalId, arguments: wanted });
    const body = { decision, token, ...ticket, ...seen, ...(wanted ? { arguments: wanted } : {}) };
    const status = await post(who, approvalId, body);
    // A 409 means that an edit or a new plan has replaced the card.
    const newer = status === 409 && (habits.edits > 0 || card.planHash !== undefined) ? await cardOf(who, approvalId) : null;
    if (newer) await post(who, approvalId, { decision, ...ticket, ...seenOn(newer) });
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
    return (await cardOf(who, approvalId))?.token ?? null;
  }

  async function cardOf(who: string, approvalId: string): Promise<Card | null> {
    const asked = { method: "GET", url: "/v1/approvals/:id", id: approvalId, principal: principalOf(who) } as const;
    const { decisionToken: token, argumentsHash, arguments: args, plan } = (await insist(wire, asked, options))?.body ?? {};
    if (typeof token !== "string" || typeof argumentsHash !== "string") return null;
    const planHash = isJsonObject(plan) && typeof plan["hash"] === "string" ? { planHash: plan["hash"] } : {};
    return { token, argumentsHash, ...planHash, arguments: isJsonObject(args) ? args : {} };
  }

  async function post(who: string, approvalId: string, body: Decision): Promise<number | null> {
    const asked = {
      method: "POST",
      url: "/v1/approvals/:id/decision",
      id: approvalId,
      body: { ...body },
      principal: principalOf(who),
    } as const;
    observe({ kind: "sends", at: clockwork.now, approvalId, token: body.token, among: 1 });
    const answered: Answer | null = await insist(wire, asked, options);
    if (answered?.status !== 200) return answered?.status ?? null;
    const { token, decision } = body;
    observe({
      kind: "decided",
      at: clockwork.now,
      approvalId,
      tokenId: `${who} ${token}`,
      decision,
      answer: JSON.stringify(answered.body),
    });
    return answered.status;
  }

  function think(): Promise<void> {
    return sleep(wire, random.magnitude(1, Math.max(2, habits.thinkMs)));
  }
}

/** Returns what a decision says about the card that the person saw. */
function seenOn({ arguments: _, ...seen }: Card): Omit<Card, "arguments"> {
  return seen;
}
