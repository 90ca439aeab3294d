import {
  type Approval,
  approvalIdOf,
  type Call,
  callParts,
  type ConversationState,
  isRunEnd,
  keys,
  type LedgerRow,
  type Run,
  type RunEvent,
  type TranscriptEntry,
} from "@toolbus/contracts";
import type { Json } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { TOOLSET } from "../world/sim-tools.ts";
import { type Changed, type Facts, familyOf } from "./facts.ts";
import { same } from "./same.ts";

const TERMINAL: ReadonlySet<string> = new Set(["done", "failed", "cancelled"]);
const RESOLVED = "resolved";
/** Codes of ends that no person, model, tool or limit causes. */
const OURS: ReadonlySet<string> = new Set(["unpaired_transcript", "profile_unknown"]);

/**
 * Checks the invariants I1, I2, I4, I5 and I9 (docs/mechanics.md) for the agent's own documents, after one commit. Returns what does not hold, in
 * words.
 */
export function brokenByRun(facts: Facts, changed: readonly Changed[], change: Change): readonly string[] {
  const broken: string[] = [];
  for (const document of changed) {
    const family = familyOf(document.key);
    if (family === "run") broken.push(...runBroken(facts, document as unknown as Changed<Run>));
    else if (family === "call") broken.push(...callBroken(facts, document as unknown as Changed<Call>));
    else if (family === "conversation") broken.push(...conversationBroken(facts, document as unknown as Changed<ConversationState>));
  }
  for (const { log, entries } of change.append ?? []) {
    if (log.startsWith("tb:events:")) broken.push(...eventsBroken(facts, log, entries));
    else if (log.startsWith("tb:transcript:")) broken.push(...transcriptBroken(facts, log, entries));
  }
  return broken;
}

function runBroken(facts: Facts, { before, after }: Changed<Run>): readonly string[] {
  if (!after) return [`I5: the run ${before?.runId} was removed`];
  const { runId, status, epoch, round, pending, calls } = after;
  const broken: string[] = [];
  if (before && TERMINAL.has(before.status) && !same(withoutOutcomes(before), withoutOutcomes(after)))
    broken.push(`G1: the run ${runId} changed after its end as ${before.status}`);
  if (before && epoch < before.epoch) broken.push(`I5: the epoch of ${runId} fell from ${before.epoch} to ${epoch}`);
  if (before && (round < before.round || round > before.round + 1)) broken.push(`I9: ${runId} went from round ${before.round} to ${round}`);
  if (before?.cancel && !same(before.cancel, after.cancel)) broken.push(`I5: the cancel of ${runId} changed`);
  if (!TERMINAL.has(status) && !facts.timers.get("agent")?.has(`run:${runId}`))
    broken.push(`I1: the run ${runId} is ${status} and has no timer`);
  const open = calls.filter((call) => !call.resolved).length;
  if (pending !== open) broken.push(`I4: ${runId} says ${pending} pending, ${open} calls are open`);
  for (const { callId, resolved } of calls) {
    const call = document<Call>(facts, keys.call(callId));
    if (!call) broken.push(`I4: ${runId} names the call ${callId}, which does not exist`);
    else if ((call.state === RESOLVED) !== resolved)
      broken.push(`I4: ${runId} says ${callId} is ${resolved ? "" : "not "}resolved, the call says ${call.state}`);
  }
  if (after.ending?.code !== undefined && OURS.has(after.ending.code))
    broken.push(`G2: the run ${runId} ended because of a bug, ${after.ending.code}`);
  if (status === "waiting" && open === 0) broken.push(`I4: ${runId} waits for nothing`);
  return broken;
}

function callBroken(facts: Facts, { before, after }: Changed<Call>): readonly string[] {
  if (!after) return [];
  const { callId, state, dispatch, notAfter } = after;
  const broken: string[] = [];
  // A resolved call does not change, with two exceptions. The agent may remove its large arguments, and may add the outcome that the ledger has
  // later.
  if (before?.state === RESOLVED && !same(withoutFollowing(before), withoutFollowing(after)))
    broken.push(`G2: the call ${callId} changed after its result`);
  if (state !== RESOLVED && !facts.timers.get("agent")?.has(`call:${callId}`))
    broken.push(`I2: the call ${callId} is ${state} and has no timer`);
  const timed = facts.timers.get("agent")?.has(`call:${callId}`) === true;
  if (state === RESOLVED && timed !== (after.followUntil !== undefined))
    broken.push(`I2: the call ${callId} is resolved and ${timed ? "keeps its timer" : "followed without a timer"}`);
  broken.push(...followedBroken(facts, before, after));
  if (before && dispatch < before.dispatch) broken.push(`I5: the dispatch of ${callId} fell from ${before.dispatch} to ${dispatch}`);
  if (typeof before?.notAfter === "number" && notAfter !== before.notAfter) broken.push(`I5: the not-after of ${callId} moved`);
  if (before && before.secret !== after.secret) broken.push(`I5: the secret of ${callId} changed`);
  return broken;
}

/** Returns a resolved call without the fields that may still change: its removed arguments, and the later outcome in its ledger. */
function withoutFollowing({ arguments: _, followUntil: __, settled: ___, ledger: ____, ...rest }: Call): object {
  return rest;
}

/** Returns a finished run without the fields that may still change: the outcomes of its writes, which the ledger reports later. */
function withoutOutcomes({ writes: _, report, ending, ...rest }: Run): object {
  return { ...rest, filed: report?.filing.callId ?? null, code: ending?.code ?? null };
}

/** Checks that the agent follows only writes of unknown outcome, and records the outcome that the ledger has later. */
function followedBroken(
  facts: Facts,
  before: Call | undefined,
  { callId, result, followUntil, settled, toolset }: Call,
): readonly string[] {
  const unknown = result?.status === "outcome_unknown";
  if (!unknown) return followUntil === undefined && !settled ? [] : [`G4: ${callId} ended as ${result?.status} and is followed`];
  if (!settled || before?.settled) return [];
  const row = document<LedgerRow>(facts, keys.ledger(toolset, callId));
  return row?.state === "done" && row.result?.status === settled.status
    ? []
    : [`G4: ${callId} is said to be ${settled.status} now, and its ledger says ${row?.result?.status ?? row?.state ?? "nothing"}`];
}

function conversationBroken(facts: Facts, { after }: Changed<ConversationState>): readonly string[] {
  if (!after) return [];
  const { conversationId, activeRun } = after;
  const queue = after.queue.map(({ runId }) => runId);
  const broken: string[] = [];
  if (new Set(queue).size !== queue.length) broken.push(`I4: ${conversationId} has a run in its queue twice`);
  const inOrder = after.queue.filter(({ interrupts }) => !interrupts).map(({ accepted }) => accepted);
  if (
    !same(
      inOrder,
      inOrder.toSorted((a, b) => a - b),
    )
  )
    broken.push(`I4: ${conversationId} does not keep the order in which its messages were accepted`);
  if (activeRun !== null && queue.includes(activeRun)) broken.push(`I4: the active run of ${conversationId} also waits`);
  const active = activeRun === null ? undefined : document<Run>(facts, keys.run(activeRun));
  if (activeRun !== null && (!active || TERMINAL.has(active.status)))
    broken.push(`I4: the active run of ${conversationId} has ended or does not exist`);
  for (const waiting of queue) {
    const run = document<Run>(facts, keys.run(waiting));
    if (run?.status !== "queued") broken.push(`I4: ${waiting} waits in ${conversationId} as ${run?.status ?? "nothing"}`);
  }
  return broken;
}

/** Checks the order of events: no event after the end, one turn per round in order, one result per call. */
function eventsBroken(facts: Facts, log: string, entries: readonly Json[]): readonly string[] {
  const all = (facts.logs.get(log) ?? []) as unknown as readonly RunEvent[];
  const broken: string[] = [];
  const added = entries as unknown as readonly RunEvent[];
  const end = all.findIndex(isRunEnd);
  if (end >= 0 && end < all.length - 1) broken.push(`G1: ${log} continues after its end`);
  for (const event of added) {
    if (event.type === "turn" && all.filter((other) => other.type === "turn" && other.round === event.round).length > 1)
      broken.push(`I9: ${log} has round ${event.round} twice`);
    if (event.type === "turn" && !event.seed) broken.push(...turnsBroken(facts, log, all));
    if (event.type === "call.resolved" && all.filter((other) => other.type === "call.resolved" && other.callId === event.callId).length > 1)
      broken.push(`G2: ${log} has two results of ${event.callId}`);
    if (event.type === "call.decided") {
      const made = all.filter((other) => other.type === "call.decided" && other.callId === event.callId).length;
      const may = decisionsOf(facts, event.callId);
      if (made > may) broken.push(`G6: ${log} has ${made} decisions of ${event.callId}, and ${may} are possible`);
    }
    const runId = log.slice(log.indexOf("}:") + 2);
    if (isRunEnd(event) && !TERMINAL.has(document<Run>(facts, keys.run(runId))?.status ?? ""))
      broken.push(`G1: ${log} ends, but its run does not`);
  }
  return broken;
}

/**
 * Returns how often a call may be decided. A decision is void, and another one follows, each time that the worker found another target. Approvals may
 * not have heard of the last time.
 */
function decisionsOf(facts: Facts, callId: string): number {
  const { plans = [] } = document<Approval>(facts, keys.approval(approvalIdOf(callId))) ?? {};
  const row = document<LedgerRow>(facts, keys.ledger(TOOLSET, callId));
  return 1 + plans.filter(({ drift }) => drift).length + ((row?.planRound ?? 0) > plans.length ? 1 : 0);
}

/** Checks that one answer of the model becomes at most one turn, in whichever round the agent commits it. */
function turnsBroken(facts: Facts, log: string, all: readonly RunEvent[]): readonly string[] {
  const runId = log.slice(log.indexOf("}:") + 2);
  const turns = all.filter((event) => event.type === "turn" && !event.seed).length;
  const answers = facts.answers.get(runId) ?? 0;
  return turns <= answers ? [] : [`G2: ${runId} has ${turns} turns, and its model answered ${answers} times`];
}

function transcriptBroken(facts: Facts, log: string, entries: readonly Json[]): readonly string[] {
  const all = (facts.logs.get(log) ?? []) as unknown as readonly TranscriptEntry[];
  const broken: string[] = [];
  for (const entry of entries as unknown as readonly TranscriptEntry[]) {
    if (
      entry.type === "assistant" &&
      all.filter((other) => other.type === "assistant" && other.runId === entry.runId && other.round === entry.round).length > 1
    )
      broken.push(`I9: the transcript has round ${entry.round} of ${entry.runId} twice`);
    if (entry.type !== "result") continue;
    if (all.filter((other) => other.type === "result" && other.callId === entry.callId).length > 1)
      broken.push(`I9: the transcript has two results of ${entry.callId}`);
    if (callParts(entry.callId).runId !== entry.runId) broken.push(`I9: the transcript of ${entry.runId} has a result of ${entry.callId}`);
  }
  return broken;
}

function document<T>(facts: Facts, key: string): T | undefined {
  return facts.documents.get(key) as T | undefined;
}
