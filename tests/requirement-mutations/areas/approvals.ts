import type { Mutations } from "../mutation.ts";

/** The mutations of the rows A. */
export const approvalsMutations: Mutations = {
  "A-09": {
    breaks: "an approval's timer counts as early, again and again",
    patches: [
      {
        file: "services/approvals/src/requests/expiry.ts",
        find: "const moved = approval ? expire(approval, { now }) : null;",
        replace: "const moved = approval ? expire(approval, { now: now - expiryMs }) : null;",
      },
    ],
  },
  "A-06": {
    breaks: "a person's denial is reported with another word",
    patches: [
      {
        file: "packages/contracts/src/result.ts",
        find: 'return code === "denied_by_user" ? "APPROVAL_DENIED" : code.toUpperCase();',
        replace: "return code.toUpperCase();",
      },
    ],
  },
  "A-01": {
    breaks: "a write that waits for people is sent when its turn comes",
    patches: [
      {
        file: "services/agent/src/transitions/next-write.ts",
        find: 'if (next?.state !== "granted") return null;',
        replace: 'if (next?.state !== "granted" && next?.state !== "held") return null;',
      },
    ],
  },
  "A-02": {
    breaks: "a card shows credentials from the arguments",
    patches: [
      {
        file: "services/approvals/src/decisions/view.ts",
        find: "const view = redacted<ApprovalView>({",
        replace: "const view = ((shown: ApprovalView) => shown)({",
      },
    ],
  },
  "A-04": {
    breaks: "a decision webhook counts whoever signed it",
    patches: [
      {
        file: "services/approvals/src/decisions/hook-sources.ts",
        find: "if (!source || !isSigned(signature, { id, seconds, body: text }, source.secrets))",
        replace: "if (!source || (!isSigned(signature, { id, seconds, body: text }, source.secrets) && text === id))",
      },
    ],
  },
  "A-05": {
    breaks: "each attempt at an approved write has its own key, so its target does it again",
    patches: [
      {
        file: "packages/tool-kit/src/writes/run-write.ts",
        find: "executor.tool.run(prepared, writeContext(call, attempt.context, signal,",
        replace:
          "executor.tool.run(prepared, writeContext({ ...call, callId: `${call.callId}.${attempt.hold.fence}` }, attempt.context, signal,",
      },
    ],
  },
  "A-07": {
    breaks: "the model reads that it must rework its write, but not how",
    patches: [
      {
        file: "services/agent/src/transitions/decided.ts",
        find: "revision before this may run ${which}; nothing was done.${said}",
        replace: "revision before this may run ${which}; nothing was done.",
      },
    ],
  },
  "A-08": {
    breaks: "the agent sends what the model asked for under the grant of the edited arguments",
    patches: [
      {
        file: "services/agent/src/transitions/decided.ts",
        find: "      ...base,\n      ...edited,\n",
        replace: "      ...base,\n",
      },
    ],
  },
  "A-10": {
    breaks: "a run that waits for people says that it waits for tools",
    patches: [
      {
        file: "packages/contracts/src/run-view.ts",
        find: 'if (awaiting.some(({ kind }) => kind === "approval")) return "awaiting_approval";',
        replace: 'if (awaiting.some(({ kind }) => kind === "approval")) return run.status;',
      },
    ],
  },
  "A-11": {
    breaks: "one person alone approves a critical write",
    patches: [
      {
        file: "packages/contracts/src/tool-definition.ts",
        find: "{ low: 0, medium: 0, high: 1, critical: 2 }",
        replace: "{ low: 0, medium: 0, high: 1, critical: 1 }",
      },
    ],
  },
  "A-12": {
    breaks: "a rule of the policy whose condition the arguments fulfil raises nothing",
    patches: [
      {
        file: "services/approvals/src/policy/judge-policy.ts",
        find: 'structuredClone(asked.arguments), steps) !== "breaks"',
        replace: 'structuredClone(asked.arguments), steps) === "breaks"',
      },
    ],
  },
  "A-18": {
    breaks: "HITL_MODE and WRITE_TOOLS are read, and change nothing",
    patches: [
      {
        file: "services/approvals/src/policy/policy.ts",
        find: "...(required ?",
        replace: "...(!required ?",
      },
    ],
  },
  "A-13": {
    breaks: "somebody with the right to approve everything may approve their own requests",
    patches: [
      {
        file: "services/approvals/src/requests/policy.ts",
        find: "if (requesters(approval, origin).includes(approver.id))",
        replace: 'if (requesters(approval, origin).includes(approver.id) && !approver.scopes.includes("approve:*"))',
      },
    ],
  },
  "A-14": {
    breaks: "an approver's token decides for another approver",
    patches: [
      {
        file: "services/approvals/src/decisions/decisions.ts",
        find: "if (!token || token.value.approver !== approver.id || token.value.approvalId !== approvalId) {",
        replace: "if (!token || token.value.approvalId !== approvalId) {",
      },
    ],
  },
  "A-15": {
    breaks: "a write whose arguments say that it is approved is granted by policy",
    patches: [
      {
        file: "services/approvals/src/requests/judge-request.ts",
        find: "holding: { by: decidedBy(need) }",
        replace: 'holding: { by: args.value["approved"] === true ? "policy" : decidedBy(need) }',
      },
    ],
  },
  "A-16": {
    breaks: "the links of an approval name its correlation id instead of its call",
    patches: [
      {
        file: "services/approvals/src/decisions/view.ts",
        find: "const self = `/v1/approvals/${approval.approvalId}`;",
        replace: "const self = `/v1/approvals/${approval.correlationId}`;",
      },
    ],
  },
  "A-17": {
    breaks: "nobody is notified: a commit sends no message about its effect",
    patches: [
      {
        file: "packages/runtime/src/webhooks/webhooks.ts",
        find: "commit: (shard, change) => outbox.commit(shard, noted(change)),",
        replace: "commit: (shard, change) => outbox.commit(shard, targets.size < 0 ? noted(change) : change),",
      },
    ],
  },
  "A-19": {
    breaks: "the audit has no record of how an approval ended",
    patches: [
      {
        file: "services/approvals/src/machine/approval-move.ts",
        find: "...(events.length > 0 ? { append: [audited(approval, events, at)] } : {}),",
        replace: "...(events.length > 0 ? { append: [audited(approval, events.slice(0, 1), at)] } : {}),",
      },
    ],
  },
  "A-20": {
    breaks: "a message in Slack keeps its buttons after the write has ended",
    patches: [{ file: "services/approvals/src/channels/slack/slack-blocks.ts", find: "...(asks && pending", replace: "...(asks" }],
  },
};
