import { type Approval, atLeast, type Call, type LedgerRow, type Run, type StoredRunEvent } from "@toolbus/contracts";
import { type Changed, familyOf } from "../invariants/facts.ts";
import type { Observation } from "../ports/observation.ts";

/**
 * The counts of the work of a world. Without work, the absence of harm proves nothing. So each kind of work has a floor (`floors.ts`), and a
 * simulated system that does less has failed.
 */
export const WORK = {
  /** Runs that the gateway accepted. */
  runs: "runs accepted",
  /** Runs that ended with an answer. */
  done: "runs that ended done",
  /** Answers of the model that were committed. */
  turn: "turns",
  /** Results of calls that an agent joined to their run, whatever the results say. */
  join: "results joined",
  /** Results that contain an answer of the tool. */
  answer: "calls that were answered",
  /** Results whose content only the transcript has. */
  stored_once: "results stored once",
  /** Effects at the target. */
  effect: "writes that happened",
  /** Writes that had a grant when their workers began them. */
  grant: "writes begun under a grant",
  /** Approvals that people granted, not policy. */
  decision: "decisions of people",
  /** Approvals that policy granted, without people. */
  by_policy: "writes granted by policy",
  /** Batches in which at least two decisions were accepted. */
  batch: "batches of decisions",
  /** High and critical writes that a batch did not decide, because it had other decisions too. */
  batch_refusal: "high writes refused in a batch",
  /** Batches that ended in the middle, and whose repeat made the remaining decisions. */
  batch_repeat: "batches cut in the middle and repeated",
  /** Writes that happened with arguments that an approver had changed. */
  edit: "writes with edited arguments that happened",
  /** Plans of workers that people could see before they decided. */
  plan: "plans shown to people",
  /** Writes that went back to people, because the target had changed after they had approved. */
  drift: "approvals reopened by a changed target",
  /** Writes that people or policy denied. */
  refusal: "writes refused",
  /** Calls that the agent sent again because no answer arrived. */
  redispatch: "calls sent again",
  /** Model calls that failed and were made again. */
  retry: "model calls made again",
  /** Questions to a person. */
  ask: "questions asked",
  /** Questions that a person answered. */
  asked_and_answered: "questions answered",
  cancel: "runs cancelled",
  /** Model calls with a reservation in a budget. */
  paid: "reservations of budgets",
  /** Runs for which a budget had no room. */
  stopped: "runs stopped by a budget",
  /** Messages that waited for the previous run. */
  queue: "runs queued",
  /** Events of runs that a viewer received. */
  reported: "events that viewers received",
  /** Runs that another agent took over from their holder. */
  take_over: "runs taken over",
  /** Writes that another worker took over from their holder. */
  write_take_over: "writes taken over",
  /** Writes whose target was asked whether they had happened. */
  reconcile: "writes reconciled",
  /** Writes that ended with an unknown outcome. */
  unknown: "writes with an unknown outcome",
} as const;

export type Work = keyof typeof WORK;
export const WORKS = Object.keys(WORK) as readonly Work[];

/** How often each kind of work was done, and how often a run ended with another status than done: `failed poison_run`. */
export interface Tally {
  readonly work: Readonly<Record<Work, number>>;
  readonly ends: Readonly<Record<string, number>>;
}

export interface KeptTally {
  readonly tally: Tally;
  /** Counts the work in an observation. */
  take(observation: Observation, changed: readonly Changed[]): void;
}

/** Returns a tally without work. */
export function emptyTally(): Tally {
  return { work: Object.fromEntries(WORKS.map((name) => [name, 0])) as Record<Work, number>, ends: {} };
}

/** Adds two tallies. */
export function sumOf(one: Tally, other: Tally): Tally {
  const ends: Record<string, number> = { ...one.ends };
  for (const [end, count] of Object.entries(other.ends)) ends[end] = (ends[end] ?? 0) + count;
  return { work: Object.fromEntries(WORKS.map((name) => [name, one.work[name] + other.work[name]])) as Record<Work, number>, ends };
}

export function keptTally(): KeptTally {
  const work: Record<Work, number> = { ...emptyTally().work };
  const ends: Record<string, number> = {};
  return {
    tally: { work, ends },
    take(observation, changed) {
      if (observation.kind === "accepted") work.runs++;
      if (observation.kind === "effect") work.effect++;
      if (observation.kind === "told") work.reported++;
      if (observation.kind === "batch") countBatch(observation);
      if (observation.kind !== "commit") return;
      for (const document of changed) countDocument(document);
      for (const { log, entries } of observation.change.append ?? [])
        if (log.startsWith("tb:events:")) for (const event of entries as unknown as readonly StoredRunEvent[]) countEvent(event);
    },
  };

  function countBatch({ items, answers, who, sentAt, tries }: Extract<Observation, { kind: "batch" }>): void {
    const accepted = answers.filter(({ status }) => status === 200);
    if (new Set(accepted.map(({ approval }) => approval)).size >= 2) work.batch++;
    if (items.length > 1)
      work.batch_refusal += items.filter(({ tier, isOwn }, n) => isOwn && atLeast(tier, "high") && answers[n]?.status === 403).length;
    const before = accepted.filter(({ decided }) => decided?.decisions.some(({ approver, at }) => approver === who && at < sentAt));
    if (tries > 1 && before.length > 0 && before.length < accepted.length) work.batch_repeat++;
  }

  function countDocument(document: Changed): void {
    const family = familyOf(document.key);
    if (family === "run") countRun(document as unknown as Changed<Run>);
    else if (family === "call") countCall(document as unknown as Changed<Call>);
    else if (family === "approval") countApproval(document as unknown as Changed<Approval>);
    else if (family === "budget") countBudget(document);
    else if (family.startsWith("ledger.")) countLedger(document as unknown as Changed<LedgerRow>);
  }

  function countRun({ before, after }: Changed<Run>): void {
    if (!after) return;
    if (before?.lease && after.lease && after.epoch > before.epoch) work.take_over++;
    if (before?.status === after.status) return;
    if (after.status === "done") work.done++;
    else if (after.status === "cancelled") work.cancel++;
    if (after.status === "failed" || after.status === "cancelled") {
      const end = `${after.status} ${after.ending?.code ?? "without a code"}`;
      ends[end] = (ends[end] ?? 0) + 1;
      if (after.ending?.code === "budget_exhausted") work.stopped++;
    }
  }

  function countCall({ before, after }: Changed<Call>): void {
    if (before && after && before.dispatch > 0 && after.dispatch > before.dispatch) work.redispatch++;
    if (after?.asked && after.result?.status === "ok" && !before?.result) work.edit++;
  }

  function countApproval({ before, after }: Changed<Approval>): void {
    if (after && after.decisions.length > (before?.decisions.length ?? 0)) work.decision++;
    if ((after?.plans?.length ?? 0) > (before?.plans?.length ?? 0)) work.plan++;
    if (before?.status !== "approved" && after?.status === "approved" && after.decisions.length === 0) work.by_policy++;
    if (before?.status === "approved" && after?.status === "pending") work.drift++;
    if (before?.status !== after?.status && REFUSED.has(after?.status ?? "")) work.refusal++;
  }

  function countBudget({ before, after }: Changed): void {
    // The store has the budget beside its reservations. Only the budget has ceilings.
    if (before === undefined && after !== undefined && !("ceilings" in Object(after))) work.paid++;
  }

  function countLedger({ before, after }: Changed<LedgerRow>): void {
    if (!after) return;
    if (!before) work.grant++;
    if (before?.lease && after.fence > before.fence) work.write_take_over++;
    if (before?.state === "sending" && after.fence > before.fence && after.toolName.includes("_reconcile")) work.reconcile++;
  }

  function countEvent(event: StoredRunEvent): void {
    if (event.type === "turn" && !event.seed) work.turn++;
    else if (event.type === "model.retry") work.retry++;
    else if (event.type === "call.asked") work.ask++;
    else if (event.type === "run.queued") work.queue++;
    else if (event.type === "call.resolved") {
      work.join++;
      if (event.entry !== undefined) work.stored_once++;
      if (event.status === "ok") work[event.tool === ASK_USER ? "asked_and_answered" : "answer"]++;
      if (event.status === "outcome_unknown") work.unknown++;
    }
  }
}

const ASK_USER = "ask_user";
const REFUSED: ReadonlySet<string> = new Set(["rejected", "revision_requested", "expired", "limit"]);
