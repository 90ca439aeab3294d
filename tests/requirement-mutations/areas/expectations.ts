import type { Mutations } from "../mutation.ts";

/** The mutations of the rows LV. */
export const expectationsMutations: Mutations = {
  "LV-01": {
    breaks: "a run whose process died is never continued by another one",
    without: ["tests/e2e/apart/apart.test.ts"],
    patches: [
      {
        file: "services/agent/src/transitions/acquire.ts",
        find: "return lease.until > now && lease.since >= ownersDeadBefore;",
        replace: "return lease.until > 0 && lease.since >= ownersDeadBefore;",
      },
    ],
  },
  "LV-02": {
    breaks: "a client that reconnects gets the event that it already has",
    patches: [
      {
        file: "services/gateway/src/stream/event-id.ts",
        find: `return /^\\d{1,15}$/.test(digits) ? Number(digits) : null;`,
        replace: `return /^\\d{1,15}$/.test(digits) ? Math.max(0, Number(digits) - 1) : null;`,
      },
    ],
  },
  "LV-03": {
    breaks: "a client that disconnects cancels the run that it started",
    patches: [
      {
        file: "services/gateway/src/stream/stream-run.ts",
        find: `  reply.raw.on("close", close);`,
        replace: `  reply.raw.on("close", close);\n  if (accepted) reply.raw.on("close", () => void cancelRun(gateway, { principal, runId }));`,
      },
      {
        file: "services/gateway/src/stream/stream-run.ts",
        find: `import type { OwnRun } from "../run-access.ts";`,
        replace: `import { cancelRun } from "../inbound/cancel-run.ts";\nimport type { OwnRun } from "../run-access.ts";`,
      },
    ],
  },
  "LV-04": {
    breaks: "a write that a cancel dropped can still be decided on",
    patches: [
      {
        file: "services/agent/src/transitions/request-grant.ts",
        find: `if (call.state === "requested" || call.state === "held")`,
        replace: `if (call.state === "requested")`,
      },
    ],
  },
  "LV-05": {
    breaks: "the last waiting message is taken first",
    patches: [
      {
        file: "services/agent/src/transitions/conversation.ts",
        find: "return a.interrupts ? b.accepted - a.accepted : a.accepted - b.accepted;",
        replace: "return b.accepted - a.accepted;",
      },
    ],
  },
  "LV-12": {
    breaks: "a write of an MCP client that policy would grant runs without a person",
    patches: [
      {
        file: "services/agent/src/direct-call/direct-call.ts",
        find: "if (!profile || !isDirectCall(profile)) return undefined;",
        replace: "if (profile) return undefined;",
      },
    ],
  },
  "LV-14": {
    breaks: "a question stays open for ever",
    patches: [
      {
        file: "services/agent/src/transitions/ask.ts",
        find: `heldSince: draft.now, askExpiresAt: expiresAt }, ASK_EXPIRY_MS);`,
        replace: `heldSince: draft.now, askExpiresAt: expiresAt }, null);`,
      },
    ],
  },
  "LV-16": {
    breaks: "an approval counts for arguments that somebody else has set since",
    patches: [
      {
        file: "services/approvals/src/machine/edited.ts",
        find: "const first = edited === undefined ? 0 :",
        replace: "const first = edited === undefined || Number.isFinite(edited.at) ? 0 :",
      },
    ],
  },
  "LV-17": {
    breaks: "a high write is approved in one click with others",
    patches: [
      {
        file: "services/approvals/src/decisions/decisions.ts",
        find: `if (!alone && atLeast(tier, "high"))`,
        replace: `if (!alone && atLeast(tier, "critical"))`,
      },
    ],
  },
  "LV-20": {
    breaks: "a model is offered a tool that the person behind the run may not use",
    patches: [
      {
        file: "services/agent/src/candidates.ts",
        find: "rightsFault(rights, judged(one)) ?? whyNot(one, { now, off, fixed });",
        replace: "(now < 0 ? rightsFault(rights, judged(one)) : null) ?? whyNot(one, { now, off, fixed });",
      },
    ],
  },
  "LV-27": {
    breaks: "an approval that has ended is in no list",
    without: ["tests/e2e/cli-inbox.test.ts"],
    patches: [
      {
        file: "services/approvals/src/machine/approval-move.ts",
        find: "const index = [...(change.index ?? []), ...endedEntries(approval)];",
        replace: "const index = [...(change.index ?? []), ...endedEntries({ ...approval, endedAt: null })];",
      },
    ],
  },
  "LV-22": {
    breaks: "a tenant has a budget for each of its principals",
    patches: [
      {
        file: "services/agent/src/budget/budget-places.ts",
        find: `whose === "tenant" ? [of.tenant] : [of.tenant, of.principal];`,
        replace: `[of.tenant, of.principal];`,
      },
    ],
  },
  "LV-28": {
    breaks: "an approval that expired counts as denied",
    patches: [
      {
        file: "apps/cli/src/approvals/insights.ts",
        find: 'denied: count("rejected", "revision_requested"),',
        replace: 'denied: count("rejected", "revision_requested", "expired"),',
      },
    ],
  },
  "LV-29": {
    breaks: "a record need not name the hash of the record before",
    patches: [
      {
        file: "packages/grants/src/audit-chain.ts",
        find: "if (n !== before.n + 1) return",
        replace: "if (n === before.n) return",
      },
    ],
  },
  "LV-26": {
    breaks: "everybody who sees a message in Slack decides as an approver",
    patches: [
      {
        file: "services/approvals/src/channels/slack/slack-workspaces.ts",
        find: "Object.hasOwn(approvers, user) ? approvers[user] : undefined;",
        replace: "Object.hasOwn(approvers, user) ? approvers[user] : Object.values(approvers)[0];",
      },
    ],
  },
  "LV-36": {
    breaks: "a server that ends is not connected again",
    // Each of its dozen servers would wait for a time-out.
    without: ["tests/e2e/mcp-servers.test.ts"],
    patches: [
      {
        file: "services/tool-executor/src/toolsets/mcp/mcp-server.ts",
        find: "      if (stopping.signal.aborted) break;\n",
        replace: "      break;\n",
      },
    ],
  },
  "LV-31": {
    breaks: "the one command starts everything except the worker of the tools",
    patches: [
      {
        file: "services/all-in-one/src/start-all-in-one.ts",
        find: "runServices([toolExecutorWith(toolsets), approvals, agentWith(wrapModel), gateway], {",
        replace: "runServices([approvals, agentWith(wrapModel), gateway], {",
      },
    ],
  },
  "LV-32": {
    breaks: "a run uses the definition that another one began with",
    patches: [
      {
        file: "services/agent/src/catalogue.ts",
        find: "new Map(tools.map((tool) => [tool.hash, byHash.get(tool.hash)]))",
        replace: "new Map(tools.map((tool) => [tool.hash, byHash.values().find(({ definition }) => definition.name === tool.name)]))",
      },
    ],
  },
  "LV-40": {
    breaks: "an operator's request that comes again under its key with another body gets the first answer",
    patches: [
      {
        file: "services/approvals/src/routes/operator-keys.ts",
        find: `if (kept.value["bodyHash"] !== bodyHash) throw keyReused();`,
        replace: `if (kept.value["bodyHash"] === undefined) throw keyReused();`,
      },
    ],
  },
  "LV-41": {
    breaks: "nobody is notified that a write waits, or no longer waits",
    patches: [
      {
        file: "services/approvals/src/answers/reported-approvals.ts",
        find: "index === keys.pendingApprovals()",
        replace: "index === keys.removals()",
      },
    ],
  },
  "LV-42": {
    breaks: "durable events come without their numbers",
    patches: [
      {
        file: "services/gateway/src/stream/feed.ts",
        find: "data: JSON.stringify({ sequence, ...event })",
        replace: "data: JSON.stringify(event)",
      },
    ],
  },
  "LV-43": {
    breaks: "an alert that Alertmanager sends again starts another investigation if its annotations have changed",
    patches: [
      {
        file: "services/gateway/src/inbound/start-alerts.ts",
        find: "name: JSON.stringify(what)",
        replace: "name: JSON.stringify([what, annotations])",
      },
      {
        file: "services/gateway/src/inbound/start-alerts.ts",
        find: "{ fingerprint, startsAt }: SentAlert): Known",
        replace: "{ fingerprint, startsAt, annotations }: SentAlert): Known",
      },
    ],
  },
};
