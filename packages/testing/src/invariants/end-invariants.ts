import {
  type Approval,
  type Call,
  type ConversationState,
  isRunEnd,
  keys,
  type Run,
  type RunEvent,
  type TranscriptEntry,
} from "@toolbus/contracts";
import { assertPaired } from "@toolbus/models";
import { type Facts, familyOf } from "./facts.ts";
import { unreported } from "./stream-invariants.ts";

const TERMINAL: ReadonlySet<string> = new Set(["done", "failed", "cancelled"]);

/** Checks what must hold an hour after the last fault: the guarantees G1 and G2 (docs/mechanics.md), and that no unfinished work remains. */
export function brokenAtEnd(facts: Facts): readonly string[] {
  const broken: string[] = [];
  const runs = documents<Run>(facts, "run");
  for (const runId of facts.accepted) {
    const run = facts.documents.get(keys.run(runId)) as unknown as Run | undefined;
    if (!run) broken.push(`G1: the accepted run ${runId} was never started`);
    else if (!TERMINAL.has(run.status)) broken.push(`G1: the accepted run ${runId} is stuck as ${run.status} in round ${run.round}`);
  }
  for (const run of runs) broken.push(...runBroken(facts, run));
  for (const { conversationId, activeRun, queue } of documents<ConversationState>(facts, "conversation")) {
    if (activeRun !== null || queue.length > 0) broken.push(`G1: the conversation ${conversationId} is not free`);
    broken.push(...transcriptBroken(facts, conversationId));
  }
  for (const { approvalId, status } of documents<Approval>(facts, "approval"))
    if (status === "pending") broken.push(`G6: the approval ${approvalId} never ended`);
  broken.push(...unreported(facts));
  for (const [service, ids] of facts.timers) for (const id of ids) broken.push(`I8: a timer of ${service} is left: ${id}`);
  for (const [service, rows] of facts.outbox) for (const id of rows.keys()) broken.push(`I8: a message of ${service} is left: ${id}`);
  return broken;
}

function runBroken(facts: Facts, { runId, usage, status, conversationId }: Run): readonly string[] {
  if (!TERMINAL.has(status)) return facts.accepted.has(runId) ? [] : [`G1: the run ${runId} is stuck as ${status}`];
  const events = (facts.logs.get(keys.events(runId)) ?? []) as unknown as readonly RunEvent[];
  const broken: string[] = [];
  const ends = events.filter(isRunEnd).length;
  if (ends !== 1) broken.push(`G1: the log of ${runId} has ${ends} ends`);
  const turns = events.filter((event) => event.type === "turn" && !event.seed).length;
  if (usage.modelCalls !== turns) broken.push(`G2: ${runId} counts ${usage.modelCalls} model calls and has ${turns} turns`);
  const results = events.filter((event) => event.type === "call.resolved").length;
  if (usage.toolCalls !== results) broken.push(`G2: ${runId} counts ${usage.toolCalls} tool calls and has ${results} results`);
  const calls = documents<Call>(facts, "call").filter((call) => call.runId === runId);
  for (const { callId, state } of calls) if (state !== "resolved") broken.push(`G2: the call ${callId} has no result`);
  const transcript = (facts.logs.get(keys.transcript(conversationId)) ?? []) as unknown as readonly TranscriptEntry[];
  for (const { callId } of calls) {
    const count = transcript.filter((entry) => entry.type === "result" && entry.callId === callId).length;
    if (count > 1) broken.push(`G2: the transcript has ${count} results of ${callId}`);
  }
  return broken;
}

function transcriptBroken(facts: Facts, conversationId: string): readonly string[] {
  try {
    assertPaired((facts.logs.get(keys.transcript(conversationId)) ?? []) as unknown as readonly TranscriptEntry[]);
    return [];
  } catch (error) {
    return [`G2: the transcript of ${conversationId} does not pair: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function documents<T>(facts: Facts, family: string): readonly T[] {
  return [...facts.documents].filter(([key]) => familyOf(key) === family).map(([, value]) => value as unknown as T);
}
