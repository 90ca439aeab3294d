import { type ApprovalPage, type ApprovalView, type EraView, shardOf } from "@toolbus/contracts";
import { callEvidence } from "../audit/read-evidence.ts";
import { readApprovals } from "../http/answers.ts";
import { Answered, type Client, Unreachable } from "../http/client.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/**
 * What is known about a held write. `waits`: people have not decided. `expired`: nobody decided in this store. `open`: it is approved, and has no result
 * in this store. `unknown`: its result says that the outcome is unknown. `unchecked`: it is approved or expired, and the gateway could not be asked
 * whether it has a result.
 */
export type HeldState = "waits" | "expired" | "open" | "unknown" | "unchecked";

/** A write that the hold of its shard concerns, because it may have happened in the time that the store has lost. */
export interface HeldWrite {
  readonly state: HeldState;
  readonly shard: string;
  readonly approval: ApprovalView;
}

export interface HeldWrites {
  readonly writes: readonly HeldWrite[];
  /** The reason why the gateway was not asked which of these writes have a result, or null. */
  readonly unchecked: string | null;
}

type Services = Pick<Context, "approvals" | "gatewayForOperators">;

/**
 * Returns the writes of the reader's tenant that somebody has to look at before the held shards resume. A store that was restored knows them as they
 * were when the copy was taken. Since then people may have approved them, and workers may have done them. The list leaves out writes that their target
 * recognises by a key, because these are never held, and writes that have a result.
 */
export async function heldWrites(services: Services, era: EraView, now: number): Promise<HeldWrites> {
  const lostAt = new Map(era.lost.filter(({ held }) => held).map((one) => [one.shard, one.lostAt]));
  if (lostAt.size === 0) return { writes: [], unchecked: null };
  const approvals = await services.approvals();
  const concerns = ({ id, idempotency, requestedAt }: ApprovalView): boolean =>
    idempotency.mode !== "key" && requestedAt <= (lostAt.get(shardOf(id)) ?? -1);
  const pending = await listed(approvals, "pending", 0);
  // The newest request of the store is not newer than the copy. So what ended before the start of this day had its result when the copy was taken.
  const newest = Math.max(0, ...pending.map((one) => one.requestedAt), await newestRequest(approvals, lostAt));
  const approved = await listed(approvals, "approved", newest - EXECUTE_BY_MS);
  const expired = (await listed(approvals, "expired", newest)).filter(({ expiresAt }) => expiresAt >= newest);
  const waiting = pending
    .filter(concerns)
    .map((approval) => ({ state: (approval.expiresAt > now ? "waits" : "expired") as HeldState, approval }));
  const ended = [...approved, ...expired].filter(concerns);
  const { found, unchecked } = await withoutResult(services, ended);
  const writes = [...waiting, ...found].map((one) => ({ ...one, shard: shardOf(one.approval.id) }));
  return { writes: writes.toSorted((a, b) => a.approval.requestedAt - b.approval.requestedAt), unchecked };
}

/** How long after its approval a write may begin (`EXECUTE_BY_MS` of approvals, by default). */
const EXECUTE_BY_MS = 24 * 3_600_000;
const PAGE = 100;
const AT_ONCE = 20;

/** Returns all approvals of this status that were requested, or ended, at this time or later. */
async function listed(approvals: Client, status: "pending" | "approved" | "expired", since: number): Promise<readonly ApprovalView[]> {
  const all: ApprovalView[] = [];
  let cursor: string | undefined;
  do {
    const page: ApprovalPage = await pageOf(approvals, { status, since: since > 0 ? since : undefined, limit: PAGE, cursor });
    all.push(...page.approvals);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return all;
}

/** Returns the time of the newest request among the approvals that ended last, without those that were requested after the hold. */
async function newestRequest(approvals: Client, lostAt: ReadonlyMap<string, number>): Promise<number> {
  const latest = Math.max(...lostAt.values());
  const pages = [];
  for (const status of ["approved", "expired"]) pages.push(await pageOf(approvals, { status, limit: PAGE }));
  return Math.max(0, ...pages.flatMap((page) => page.approvals.map((one) => one.requestedAt)).filter((at) => at <= latest));
}

async function pageOf(approvals: Client, wanted: Readonly<Record<string, string | number | undefined>>): Promise<ApprovalPage> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined) query.set(name, String(value));
  return readApprovals(await approvals.get(`/v1/approvals?${query.toString()}`));
}

interface Found {
  readonly found: readonly Pick<HeldWrite, "state" | "approval">[];
  readonly unchecked: string | null;
}

/** Asks the gateway which of these writes have a result, and returns the others. If it does not answer, returns all of them. */
async function withoutResult(services: Services, ended: readonly ApprovalView[]): Promise<Found> {
  if (ended.length === 0) return { found: [], unchecked: null };
  try {
    const gateway = await services.gatewayForOperators();
    const found: Pick<HeldWrite, "state" | "approval">[] = [];
    for (let at = 0; at < ended.length; at += AT_ONCE) {
      const states = await Promise.all(
        ended.slice(at, at + AT_ONCE).map(async (approval) => ({ approval, state: await stateOf(gateway, approval) })),
      );
      for (const { approval, state } of states) if (state !== null) found.push({ approval, state });
    }
    return { found, unchecked: null };
  } catch (error) {
    if (!(error instanceof Answered || error instanceof Unreachable || (error instanceof Failure && error.exitCode === EXIT.notAllowed)))
      throw error;
    return { found: ended.map((approval) => ({ state: "unchecked", approval })), unchecked: error.message };
  }
}

/** Returns the state of a write whose approval has ended, or null if the write has a result. */
async function stateOf(gateway: Client, { callId, status }: ApprovalView): Promise<HeldState | null> {
  // An expired approval ends its call, and the result does not prove that nothing happened after the copy.
  if (status === "expired") return "expired";
  const { part } = await callEvidence(gateway, callId);
  if (part.call["state"] !== "resolved") return "open";
  return part.result?.status === "outcome_unknown" ? "unknown" : null;
}
