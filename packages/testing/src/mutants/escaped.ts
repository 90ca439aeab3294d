import type { Mutant } from "./mutant.ts";

/** Mutants with bugs that the tests and the simulator once missed, and with similar bugs. */
export const escaped: readonly Mutant[] = [
  {
    name: "writes after an unknown one",
    breaks: "the later writes of a round run although nobody knows what happened to an earlier one",
    within: 4000,
    patches: [
      {
        file: "services/agent/src/transitions/resolve-call.ts",
        find: `status === "denied" || status === "outcome_unknown" ||`,
        replace: `status === "denied" ||`,
      },
    ],
  },
  {
    name: "writes after a denied one",
    breaks: "the later writes of a round run although people denied an earlier one",
    within: 300,
    patches: [
      {
        file: "services/agent/src/transitions/resolve-call.ts",
        find: `status === "denied" || status === "outcome_unknown" ||`,
        replace: `status === "outcome_unknown" ||`,
      },
    ],
  },
  {
    name: "a write under way ended as unknown",
    breaks: "a write that a worker is still sending is ended as unknown",
    within: 6000,
    patches: [
      {
        file: "services/agent/src/transitions/redispatch.ts",
        find: "if (row?.lease && leaseLives(row.lease, now, draft.rules.ownersDeadBefore))\n    return draft.callTimer(call.callId, row.lease.until - now + 1);",
        replace: 'void leaseLives;\n  if (row?.state === "sending" && row.lease) return resolveCall(draft, call, outcomeUnknown(call));',
      },
    ],
  },
  {
    name: "a superseded attempt says that it was stopped",
    breaks: "a worker that lost its write to another one answers that it was cancelled before it was sent, and overwrites the other's row",
    within: 1000,
    variant: "taken-over",
    patches: [
      {
        file: "packages/tool-kit/src/writes/ledger-hold.ts",
        find: `return documents[0]?.version === version ? "stopped" : "lost";`,
        replace: `return documents.length > 0 ? "stopped" : "lost";`,
      },
      // Each of the two guards alone holds the answer back, so the mutant removes both.
      {
        file: "packages/tool-kit/src/writes/ledger-hold.ts",
        find: "const receipt = await signReceipt(row, result, at);",
        replace:
          "version = (await state.read([key])).documents[0]?.version ?? version; const receipt = await signReceipt(row, result, at);",
      },
    ],
  },
  {
    name: "a receipt over another result",
    breaks: "a worker signs another result than the one that it stores and answers",
    within: 60,
    patches: [
      {
        file: "packages/tool-kit/src/writes/ledger-hold.ts",
        find: "const receipt = await signReceipt(row, result, at);",
        replace: 'const receipt = await signReceipt(row, { ...result, content: "another" }, at);',
      },
    ],
  },
  {
    name: "no timer of a waiting run",
    breaks: "nothing checks a waiting run again by itself",
    within: 2000,
    patches: [
      {
        file: "services/agent/src/transitions/waiting.ts",
        find: "const IDLE_MS = 60_000;",
        replace: "const IDLE_MS = null;",
      },
    ],
  },
  {
    name: "no guard of the origin",
    breaks: "a repeat of a request overwrites who asked first; the guard of its conversation hides this, so it is removed too",
    within: 2000,
    patches: [
      {
        file: "services/gateway/src/accept.ts",
        find: "      { key: keys.runOrigin(runId), version: 0 },\n      { key: keys.conversationOrigin(conversationId), version: conversation.version },\n",
        replace: "",
      },
    ],
  },
  {
    name: "no backoff",
    breaks: "an unanswered call is sent again as often as at first",
    within: 300,
    patches: [
      {
        file: "services/agent/src/transitions/resend-after.ts",
        find: "return Math.min(REDISPATCH_MS * 2 ** (times - 1), REDISPATCH_MAX_MS);",
        replace: "return Math.min(REDISPATCH_MS * 1 ** (times - 1), REDISPATCH_MAX_MS);",
      },
    ],
  },
  {
    name: "backoff without a limit",
    breaks: "an unanswered call waits longer each time, beyond the longest wait",
    within: 2000,
    patches: [
      {
        file: "services/agent/src/transitions/dispatch-call.ts",
        find: "draft.setCall(sent, resendCallAfter(sent, draft.rules));",
        replace: "draft.setCall(sent, Math.max(resendCallAfter(sent, draft.rules), draft.rules.config.REDISPATCH_MAX_MS + 1));",
      },
    ],
  },
  {
    name: "an expired approval reported as denied",
    breaks: "the model reads that a person denied what nobody decided",
    within: 2000,
    patches: [
      { file: "services/agent/src/transitions/decided.ts", find: `        "approval_expired",`, replace: `        "denied_by_user",` },
    ],
  },
  {
    name: "a run that began in 1970",
    breaks: "a run does not record when it began",
    within: 60,
    patches: [
      {
        file: "services/agent/src/transitions/end-run.ts",
        find: `message: null, status: "ready", startedAt: draft.now,`,
        replace: `message: null, status: "ready", startedAt: 0,`,
      },
    ],
  },
  {
    name: "a fifth field in an invoke",
    breaks: "an invoke says more than its contract",
    within: 60,
    patches: [
      {
        file: "services/agent/src/outgoing/messages.ts",
        find: "arguments: call.arguments, sessionId: run.conversationId };\n  return message({\n    id: messageIds.invoke",
        replace:
          "arguments: call.arguments, sessionId: run.conversationId, ...{ extra: true } };\n  return message({\n    id: messageIds.invoke",
      },
    ],
  },
  {
    name: "one approver for a critical write",
    breaks: "one person is enough for a write that needs two",
    within: 600,
    patches: [
      {
        file: "services/approvals/src/machine/decision-status.ts",
        find: "new Set(approvers).size >= approval.need",
        replace: "new Set(approvers).size >= Math.min(1, approval.need)",
      },
    ],
  },
  {
    name: "a grant of a lower tier",
    breaks: "a grant says a lower tier than its write has",
    within: 300,
    patches: [{ file: "services/approvals/src/answers/grant-claims.ts", find: "tier: granted.tier,", replace: 'tier: "low",' }],
  },
  {
    name: "a grant without its approvers",
    breaks: "a grant does not name who decided",
    within: 300,
    patches: [
      {
        file: "services/approvals/src/answers/grant-claims.ts",
        find: "approvers: counting(granted).map(({ approver: sub, at, via }) => ({ sub, at, via })),",
        replace: "approvers: counting(granted).slice(0, 0).map(({ approver: sub, at, via }) => ({ sub, at, via })),",
      },
    ],
  },
  {
    name: "a grant for another requester",
    breaks: "a grant names another person as the requester",
    within: 300,
    patches: [
      { file: "services/approvals/src/answers/grant-claims.ts", find: "requester: granted.requester,", replace: 'requester: "nobody",' },
    ],
  },
  {
    name: "a grant that lasts too long",
    breaks: "a grant is valid for a day longer than its approval",
    within: 300,
    patches: [
      {
        file: "services/approvals/src/answers/grant-claims.ts",
        find: "exp: seconds(grant.expiresAt),",
        replace: "exp: seconds(grant.expiresAt) + 86_400,",
      },
    ],
  },
  {
    name: "self-approval",
    breaks: "the requester may approve the write; the check for it is gone",
    within: 2000,
    patches: [
      {
        file: "services/approvals/src/requests/policy.ts",
        find: "if (requesters(approval, origin).includes(approver.id))",
        replace: "if (requesters(approval, origin).length < 0)",
      },
    ],
  },
  {
    name: "decisions after the end",
    breaks: "a decision counts although the time to decide is over",
    within: 4000,
    patches: [
      {
        file: "services/approvals/src/machine/approval.ts",
        find: `  if (now > before.expiresAt) return illegal("expired");\n`,
        replace: "",
      },
      { file: "services/approvals/src/machine/approval.ts", find: "      notAfter: before.expiresAt,\n", replace: "" },
    ],
  },
  {
    name: "another's token",
    breaks: "a person decides with a token that was given to somebody else",
    within: 2000,
    patches: [
      {
        file: "services/approvals/src/decisions/decisions.ts",
        find: "if (!token || token.value.approver !== approver.id || token.value.approvalId !== approvalId) {",
        replace: "if (!token) {",
      },
    ],
  },
  {
    name: "every replica's timer of an approval gone",
    breaks: "an approval that nobody decides stays open for ever",
    within: 300,
    patches: [
      {
        file: "services/approvals/src/machine/approval.ts",
        find: "{ timers: [timer(approval, approval.expiresAt - now), ...planTimers(approval)], index: [indexed(approval, now)] }",
        replace: "{ index: [indexed(approval, now)] }",
      },
    ],
  },
  {
    name: "no secret required",
    breaks: "an agent accepts an answer from somebody who never saw the invoke",
    within: 600,
    patches: [
      {
        file: "services/agent/src/transitions/join.ts",
        find: "if (answer.secretHash !== null && answer.secretHash !== secretHash(call.secret))",
        replace: "if (answer.secretHash === secretHash(call.secret) + 1)",
      },
    ],
  },
  {
    name: "taint lowered by a later result",
    breaks: "a run forgets the untrusted content that it has read as soon as another result arrives",
    within: 300,
    variant: "untrusted-reads",
    patches: [
      {
        file: "services/agent/src/transitions/taint.ts",
        find: "if (call.untrusted !== true || call.dispatch === 0) return {};",
        replace: "if (call.untrusted !== true || call.dispatch === 0) return { taint: undefined } as object;",
      },
    ],
  },
  {
    name: "taint forgotten in the next run",
    breaks: "a run does not know that an earlier run of its conversation has read untrusted content",
    within: 300,
    variant: "untrusted-reads",
    patches: [
      {
        file: "services/agent/src/transitions/start.ts",
        find: "joinedTaint(conversation.value.taint, taintOfClient",
        replace: "joinedTaint(undefined, taintOfClient",
      },
    ],
  },
  {
    name: "taint of a queued run forgotten",
    breaks: "a run that waited for the active run does not know what that run has read",
    within: 1000,
    variant: "untrusted-reads",
    patches: [
      {
        file: "services/agent/src/transitions/end-run.ts",
        find: "joinedTaint(draft.conversation.taint, next.value.taint)",
        replace: "joinedTaint(undefined, next.value.taint)",
      },
    ],
  },
];
