import { ahead } from "./ahead.ts";
import { batches } from "./batches.ts";
import { budgets } from "./budgets.ts";
import { edits } from "./edits.ts";
import { escaped } from "./escaped.ts";
import type { Mutant } from "./mutant.ts";
import { plans } from "./plans.ts";
import { stalled } from "./stalled.ts";
import { streams } from "./streams.ts";

/** One mutant for each ordering rule, and for each guard whose absence loses or repeats something. */
const guards: readonly Mutant[] = [
  {
    name: "no version guard",
    breaks: "a commit is made although what it depends on has changed",
    within: 300,
    patches: [
      {
        file: "packages/state/src/commit-steps.ts",
        find: `if (!steps.guarded(change, now)) return replyOf("stale", last);`,
        replace: "",
      },
    ],
  },
  {
    name: "timers popped",
    breaks: "a timer is taken away when it is claimed, not set again",
    within: 300,
    patches: [
      {
        file: "packages/state/src/memory/memory-due-rows.ts",
        find: "rows.byKey.set(rowKey(row.shard, row.id), { ...row, due: now + visibleAfter })",
        replace: "rows.byKey.delete(rowKey(row.shard, row.id))",
      },
    ],
  },
  {
    name: "no call timer",
    breaks: "an unanswered call is never sent again",
    within: 600,
    patches: [
      {
        file: "services/agent/src/incoming/timers.ts",
        find: `if (kind === "call") return onCallTimer(reader, timer, id);`,
        replace: `if (kind === "call") return;`,
      },
    ],
  },
  {
    name: "join without dedupe",
    breaks: "a second answer to a call is joined like the first",
    within: 300,
    patches: [{ file: "services/agent/src/transitions/join.ts", find: `if (call.state === "resolved")`, replace: "if (false)" }],
  },
  {
    name: "shared op",
    breaks:
      "two processes that make the same decision at the same time name their changes alike, and the store takes the second for a repeat",
    within: 6000,
    patches: [{ file: "services/agent/src/transitions/draft.ts", find: "build(`${op}:${this.rules.newNonce()}`,", replace: "build(op," }],
  },
  {
    name: "round ended twice",
    breaks: "a write that lapses as the last one of its round ends the round from within",
    within: 4000,
    patches: [
      {
        file: "services/agent/src/transitions/finish-round.ts",
        find: `if (draft.run.pending > 0 || draft.run.status !== "waiting") return;`,
        replace: "if (draft.run.pending > 0) return;",
      },
    ],
  },
  {
    name: "interrupt of an ended run",
    breaks: "a message interrupts the run that was active when the conversation was read, although it has ended since",
    within: 3000,
    variant: "interruptions",
    patches: [
      {
        file: "services/agent/src/incoming/inbox.ts",
        find: `if (active && active.conversation.value.activeRun !== activeRun) return "again";`,
        replace: "",
      },
    ],
  },
  {
    name: "lapse not waited for",
    breaks: "a write is reported as lapsed while an invoke of it may still begin",
    within: 2000,
    variant: "late-messages",
    patches: [
      {
        file: "services/agent/src/transitions/sent-write.ts",
        find: "if (dispatch === 0) return 0;",
        replace: "return 0;",
      },
    ],
  },
  {
    name: "skip of an earlier write",
    breaks: "denying a write skips earlier writes too, about which people still decide",
    within: 300,
    patches: [{ file: "services/agent/src/transitions/resolve-call.ts", find: "waiting.index < call.index ||", replace: "" }],
  },
  {
    name: "retry of an unknown write",
    breaks: "a write whose outcome nobody knows is sent a second time",
    within: 4000,
    patches: [
      {
        file: "packages/tool-kit/src/writes/ledger.ts",
        find: `case "none":\n      return { kind: "end", row: taken, code: "outcome_unknown" };`,
        replace: `case "none":\n      return { kind: "continue", row: taken, prepared };`,
      },
    ],
  },
  {
    name: "no ledger",
    breaks: "a worker forgets what it did for a call",
    within: 300,
    patches: [
      {
        file: "packages/tool-kit/src/writes/ledger.ts",
        find: "export function begin(input: BeginInput): BeginDecision {",
        replace: "export function begin(given: BeginInput): BeginDecision {\n  const input = { ...given, row: null as any };",
      },
    ],
  },
  {
    name: "no grant check",
    breaks: "a worker runs a write whatever its grant says",
    within: 300,
    patches: [
      {
        file: "packages/tool-kit/src/writes/check-grant.ts",
        find: "switch (verdict.kind) {",
        replace:
          'if (verdict.kind !== "granted") return { kind: "granted", jti: `ap_${call.callId}`, hold, expiresAt: undefined };\n  switch (verdict.kind) {',
      },
    ],
  },
  {
    name: "stop not guarded",
    breaks: "a write is sent although its run was cancelled meanwhile",
    within: 4000,
    patches: [
      {
        file: "packages/tool-kit/src/writes/ledger-hold.ts",
        find: "...(extra.stop ? [{ key: keys.stop(callId), version: 0 }] : [])",
        replace: "",
      },
    ],
  },
  {
    name: "one approver twice",
    breaks: "the same person counts twice; four layers prevent it, so all four are gone",
    within: 2000,
    patches: [
      {
        file: "services/approvals/src/machine/approval.ts",
        find: `if (counting(before).some(({ approver }) => approver === made.approver)) return illegal("twice");`,
        replace: "",
      },
      {
        file: "services/approvals/src/machine/decision-status.ts",
        find: "new Set(approvers).size >= approval.need",
        replace: "approvers.length >= approval.need",
      },
      {
        file: "services/approvals/src/requests/policy.ts",
        find: "if (counting(approval).some((made) => made.approver === approver.id))",
        replace: "if (false)",
      },
      {
        file: "services/approvals/src/approvals-core.ts",
        find: `secretTextOf(["decision", approvalId, tenant, id, ...(n === 0 ? [] : [String(n)])], seals)`,
        replace: `secretTextOf(["decision", approvalId, tenant, id, String(n), text(random(16))], seals)`,
      },
    ],
  },
  {
    name: "outbox emptied first",
    breaks: "a message is removed from the outbox before it is published; the timers of calls hide this, so they are gone",
    within: 600,
    variant: "without-fallback",
    patches: [
      {
        file: "packages/runtime/src/outbox.ts",
        find: `async function publishRow(row: Pick<OutboxRow, "shard" | "id" | "topic" | "message">): Promise<void> {`,
        replace: `async function publishRow(row: Pick<OutboxRow, "shard" | "id" | "topic" | "message">): Promise<void> {
    await state.settle(service, [{ shard: row.shard, id: row.id }]).catch(() => undefined);`,
      },
    ],
  },
  {
    name: "ack first",
    breaks: "a message is acknowledged before it is handled; the timers of calls hide this, so they are gone",
    within: 600,
    variant: "without-fallback",
    patches: [
      {
        file: "packages/bus/src/consume-pipeline.ts",
        find: "const judged = await judge(delivery, rules);",
        replace: 'const judged: any = { kind: "ack" };\n    void judge(delivery, rules).catch(() => undefined);',
      },
    ],
  },
];

export const mutants: readonly Mutant[] = [
  ...guards,
  ...stalled,
  ...streams,
  ...budgets,
  ...edits,
  ...plans,
  ...batches,
  ...ahead,
  ...escaped,
];
