import { approvalCallId, callParts, type Json, parseApproval } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import type { Prng } from "../clockwork/prng.ts";
import type { Observation, Observe } from "../ports/observation.ts";
import type { Wire } from "../ports/wire.ts";
import { type Answer, type Asked, askOver, NoAnswer, type Served } from "./http-door.ts";

/** Who asks for runs. May decide as well, but never about a request of her own. */
export const REQUESTER = "rita";
const APPROVERS = ["amy", "ben", "cat"] as const;

const principal = (id: string, roles: Principal["roles"], scopes: readonly string[] = []): Principal => ({
  id,
  tenant: "acme",
  roles,
  scopes,
  keyId: `key of ${id}`,
});
const requester = principal(REQUESTER, ["user", "approver"], ["approve:*"]);

export interface PeopleOptions {
  readonly wire: Wire;
  readonly observe: Observe;
  readonly random: Prng;
  readonly gateways: () => readonly Served[];
  readonly approvals: () => readonly Served[];
  readonly habits: Habits;
}

/** What people do, as probabilities. */
export interface Habits {
  /** That a run is cancelled while it goes on. */
  readonly cancels: number;
  /** That an approval gets no decision at all. */
  readonly ignores: number;
  readonly denies: number;
  readonly revises: number;
  /** That two people decide at once, and differently. */
  readonly races: number;
  /** That somebody tries what is not allowed: twice, with another's token, about an own request, too late. */
  readonly cheats: number;
  /** How long people take, at most, in milliseconds. */
  readonly thinkMs: number;
}

/** The people of a world: one who asks for runs and cancels some, and those who decide what is held. */
export interface People {
  /** Asks for a run until it is accepted, or `tries` are over. */
  request(name: string, tries: number): void;
  /** What they notice of the world. */
  notice(observation: Observation): void;
  /** How many requests are neither accepted nor given up. */
  readonly asking: number;
}

export function people({ wire, observe, random, gateways, approvals, habits }: PeopleOptions): People {
  const { clockwork } = wire;
  const noticed = new Set<string>();
  let asking = 0;
  return {
    request(name, tries) {
      asking++;
      void requestRun(name, tries).finally(() => asking--);
    },
    notice(observation) {
      if (observation.kind !== "commit") return;
      for (const { key, value } of observation.change.put ?? []) if (key.startsWith("tb:approval:")) noticeApproval(value);
    },
    get asking() {
      return asking;
    },
  };

  async function requestRun(name: string, tries: number): Promise<void> {
    await think(2000);
    const body = { releaseId: name };
    const accepted = await insist(gateways, tries, {
      method: "POST",
      url: "/v1/investigations",
      body,
      headers: { "idempotency-key": `ask-${name}` },
      principal: requester,
    });
    const runId = accepted?.body["runId"];
    if (accepted?.status !== 202 || typeof runId !== "string") return;
    observe({ kind: "accepted", at: clockwork.now, runId });
    if (!random.chance(habits.cancels)) return;
    await think(habits.thinkMs * 2);
    await insist(gateways, 20, { method: "POST", url: "/v1/runs/:id/cancel", id: runId, principal: requester });
  }

  function noticeApproval(value: Json): void {
    const parsed = parseApproval(value);
    if (!parsed.ok || parsed.value.status !== "pending" || parsed.value.decisions.length > 0) return;
    const { approvalId, need, tier } = parsed.value;
    // A request that was repeated writes it again.
    if (noticed.has(approvalId)) return;
    noticed.add(approvalId);
    const ticket = tier === "critical" ? { ticket: `T-${callParts(approvalCallId(approvalId)).round}` } : {};
    if (random.chance(habits.cheats)) void cheat(approvalId, ticket);
    if (random.chance(habits.ignores)) return;
    const others = APPROVERS.slice(0, Math.max(need, 2));
    if (random.chance(habits.races)) {
      void decide(others[0] ?? "amy", approvalId, "approve", ticket);
      void decide(others[1] ?? "ben", approvalId, random.pick(["deny", "revise", "approve"]), ticket);
      return;
    }
    const word = random.chance(habits.denies) ? "deny" : random.chance(habits.revises) ? "revise" : "approve";
    for (const approver of others.slice(0, need)) void decide(approver, approvalId, word, ticket);
  }

  async function decide(who: string, approvalId: string, decision: string, extra: { readonly ticket?: string }): Promise<void> {
    await think(habits.thinkMs);
    const token = await tokenOf(who, approvalId);
    if (token !== null) await post(who, approvalId, { decision, token, ...extra });
    // A second click on the same button, or the other one, with the token that was used.
    if (token !== null && random.chance(habits.cheats))
      await post(who, approvalId, { decision: random.pick(["approve", "deny"]), token, ...extra });
  }

  async function cheat(approvalId: string, extra: { readonly ticket?: string }): Promise<void> {
    await think(habits.thinkMs);
    const own = await tokenOf(REQUESTER, approvalId);
    const token = (await tokenOf("amy", approvalId)) ?? "none";
    await post(REQUESTER, approvalId, { decision: "approve", token: own ?? token, ...extra });
    await post("ben", approvalId, { decision: "approve", token, ...extra });
    // The same person twice, each time with a token of her own.
    const second = await tokenOf("amy", approvalId);
    await post("amy", approvalId, { decision: "approve", token, ...extra });
    if (second !== null) await post("amy", approvalId, { decision: "approve", token: second, ...extra });
  }

  async function tokenOf(who: string, approvalId: string): Promise<string | null> {
    const seen = await insist(approvals, 8, { method: "GET", url: "/v1/approvals/:id", id: approvalId, principal: personOf(who) });
    const token = seen?.body["decisionToken"];
    return typeof token === "string" ? token : null;
  }

  async function post(
    who: string,
    approvalId: string,
    body: { readonly decision: string; readonly token: string; readonly ticket?: string },
  ): Promise<void> {
    const answered = await insist(approvals, 8, {
      method: "POST",
      url: "/v1/approvals/:id/decision",
      id: approvalId,
      body,
      principal: personOf(who),
    });
    if (answered?.status !== 200) return;
    observe({
      kind: "decided",
      at: clockwork.now,
      approvalId,
      tokenId: `${who} ${body.token}`,
      decision: body.decision,
      answer: JSON.stringify(answered.body),
    });
  }

  /** Repeats what was not answered, or was answered "not now", as a careful client does; null when it gives up. */
  async function insist(served: () => readonly Served[], tries: number, asked: Asked): Promise<Answer | null> {
    for (let attempt = 0; attempt < tries; attempt++) {
      try {
        const answer = await askOver(wire, served(), asked);
        if (answer.status < 500) return answer;
        if (answer.status === 500)
          observe({ kind: "crash", at: clockwork.now, process: `${asked.method} ${asked.url}`, error: JSON.stringify(answer.body) });
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
      }
      await sleep(random.magnitude(200, 4000));
    }
    return null;
  }

  function think(mostMs: number): Promise<void> {
    return sleep(random.magnitude(1, Math.max(2, mostMs)));
  }

  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void clockwork.schedule(null, ms, "people", resolve));
  }

  function personOf(id: string): Principal {
    return id === REQUESTER ? requester : principal(id, ["approver"], ["approve:*"]);
  }
}
