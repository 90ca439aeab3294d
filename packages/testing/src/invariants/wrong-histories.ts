import {
  type Approval,
  approvalIdOf,
  type Call,
  callIdOf,
  type ConversationState,
  failedResult,
  type Json,
  keys,
  type LedgerRow,
  type Run,
  shardOf,
  type ToolResult,
} from "@toolbus/contracts";
import { argumentsHash, canonicalJson } from "@toolbus/grants";
import type { Change } from "@toolbus/state";
import type { Observation } from "../ports/observation.ts";
import { TOOLSET } from "../world/sim-tools.ts";
import { type Checker, checker } from "./checker.ts";

// This file builds one small correct history, step by step. Tests add the ways in which it can be wrong.

export const CONVERSATION = "cv_03_01JD0000000000000000000001";
export const RUN = "rn_03_01JD0000000000000000000001";
export const CALL = callIdOf(RUN, 1, 0);
const AT = 1_800_000_000_000;
const USAGE = { inputTokens: 0, outputTokens: 0, modelCalls: 0, toolCalls: 0 };
const ARGUMENTS = { n: 1, to: "nobody" };

export const done: ToolResult = { status: "ok", content: "{}", isError: false };
export const cancelled: ToolResult = failedResult("cancelled", "It was cancelled.");

export function run(part: Partial<Run> = {}): Run {
  return {
    runId: RUN,
    conversationId: CONVERSATION,
    status: "ready",
    round: 1,
    epoch: 1,
    pending: 0,
    calls: [],
    cancel: null,
    usage: USAGE,
    endedAt: null,
    ...part,
  } as unknown as Run;
}

export function call(part: Partial<Call> = {}): Call {
  const identity = { callId: CALL, runId: RUN, conversationId: CONVERSATION, round: 1, index: 0, toolName: "high_none", kind: "write" };
  return {
    ...identity,
    state: "dispatched",
    dispatch: 1,
    secret: "s",
    notAfter: AT + 1000,
    arguments: canonicalJson(ARGUMENTS),
    ...part,
  } as unknown as Call;
}

export function approval(part: Partial<Approval> = {}): Approval {
  return {
    approvalId: approvalIdOf(CALL),
    callId: CALL,
    runId: RUN,
    toolName: "high_none",
    toolHash: "hash",
    arguments: canonicalJson(ARGUMENTS),
    argsHash: argumentsHash(canonicalJson(ARGUMENTS)),
    status: "approved",
    need: 1,
    decisions: [decision("amy")],
    ...part,
  } as unknown as Approval;
}

export function decision(approver: string): Approval["decisions"][number] {
  return { approver, decision: "approve", at: AT, via: "http", tokenHash: approver };
}

export function row(part: Partial<LedgerRow> = {}): LedgerRow {
  const identity = { callId: CALL, toolName: "high_none", toolHash: "hash", argsHash: "args", jti: approvalIdOf(CALL), beganAt: AT };
  return { ...identity, state: "begun", fence: 1, lease: { by: "m", since: AT, until: AT + 1 }, ...part };
}

const NO_LIMIT = { tokens: 0, toolCalls: 0 };
const NO_BUDGETS = { run: NO_LIMIT, principal: NO_LIMIT, tokensAnAnswer: 1 };

/** A history to which a test adds observations, one after another. */
export interface WrongHistory {
  readonly checker: Checker;
  /** Adds a commit, and returns what the checker reported for it. */
  commit(change: Partial<Change>): readonly string[];
  effect(args?: Json, callId?: string): readonly string[];
  tell(observation: Observation): readonly string[];
  puts: {
    run(value: Run): NonNullable<Change["put"]>[number];
    call(value: Call): NonNullable<Change["put"]>[number];
    approval(value: Approval): NonNullable<Change["put"]>[number];
    row(value: LedgerRow): NonNullable<Change["put"]>[number];
    conversation(part: Partial<ConversationState>): NonNullable<Change["put"]>[number];
  };
}

export function telling(): WrongHistory {
  const check = checker({
    goesOn: false,
    redispatchMs: 2000,
    redispatchMaxMs: 60_000,
    redispatchLocalMs: null,
    slackMs: 1,
    honestBus: true,
    tables: false,
    budgets: NO_BUDGETS,
    leastApprovers: 0,
  });
  let number = 0;
  const put = (key: string, value: object): NonNullable<Change["put"]>[number] => ({ key, value: value as unknown as Json });
  const self: WrongHistory = {
    checker: check,
    commit: (change) =>
      self.tell({ kind: "commit", at: AT, shard: shardOf(RUN), commit: ++number, change: { op: `op ${number}`, guards: [], ...change } }),
    effect: (args = ARGUMENTS, callId = CALL) => self.tell({ kind: "effect", at: AT, callId, tool: "high_none", arguments: args }),
    tell: (observation) => check.take(observation),
    puts: {
      run: (value) => put(keys.run(value.runId), value),
      call: (value) => put(keys.call(value.callId), value),
      approval: (value) => put(keys.approval(value.approvalId), value),
      row: (value) => put(keys.ledger(TOOLSET, value.callId), value),
      conversation: (part) => put(keys.conversation(CONVERSATION), { conversationId: CONVERSATION, activeRun: null, queue: [], ...part }),
    },
  };
  self.commit({ put: [put(keys.runOrigin(RUN), { runId: RUN, principal: "rita", tenant: "acme" })] });
  return self;
}

export const timers = {
  run: { service: "agent", id: `run:${RUN}`, dueIn: 1 },
  call: { service: "agent", id: `call:${CALL}`, dueIn: 1 },
  approval: { service: "approvals", id: `apr:${approvalIdOf(CALL)}`, dueIn: 1 },
} as const;

/** Returns the removal of the same timer. */
export function gone<T extends { readonly dueIn: number }>(timer: T): Omit<T, "dueIn"> & { readonly dueIn: null } {
  return { ...timer, dueIn: null };
}

/** Returns the history of a run that waits for one write, which is approved and about to be sent. */
export function aboutToSend(): WrongHistory {
  const t = telling();
  const { puts } = t;
  const waiting = run({ status: "waiting", pending: 1, calls: [{ callId: CALL, write: true, resolved: false }] });
  t.commit({
    put: [puts.run(waiting), puts.call(call()), puts.conversation({ activeRun: RUN })],
    timers: [timers.run, timers.call],
  });
  t.commit({ put: [puts.approval(approval())] });
  t.commit({ put: [puts.row(row())] });
  t.commit({ put: [puts.row(row({ state: "sending", prepared: ARGUMENTS }))] });
  return t;
}

/** Adds the end of the run of `aboutToSend`, with this result. */
export function ended(t: WrongHistory, result: ToolResult): readonly string[] {
  const { puts } = t;
  const calls = [{ callId: CALL, write: true, resolved: true }];
  const usage = { ...USAGE, toolCalls: 1 };
  return t.commit({
    put: [
      puts.call(call({ state: "resolved", result })),
      puts.run(run({ status: "done", endedAt: AT, round: 2, calls, usage })),
      puts.conversation({ activeRun: null }),
    ],
    append: [
      {
        log: keys.events(RUN),
        entries: [
          { type: "call.resolved", callId: CALL },
          { type: "run.completed", at: AT },
        ],
      },
    ],
    timers: [gone(timers.run), gone(timers.call)],
  });
}
