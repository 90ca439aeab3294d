import type { Mutations } from "./mutation.ts";

/** One for a row. A row without one is met all the same; that its tests can fail is not shown yet. */
export const mutations: Mutations = {
  "B-03": {
    breaks: "a response says a thing more than the contract has",
    patches: [
      {
        file: "packages/tool-kit/src/result-message.ts",
        find: ": { toolCallId, toolName, content: result.content, isError: result.isError },",
        replace: ": { toolCallId, toolName, content: result.content, isError: result.isError, status: result.status },",
      },
    ],
  },
  "B-04": {
    breaks: "an error does not say whether it may be tried again",
    patches: [
      {
        file: "packages/tool-kit/src/result-message.ts",
        find: "message: error.message, isRetryable: error.retryable }",
        replace: "message: error.message }",
      },
    ],
  },
  "B-05": {
    breaks: "every answer goes to the default agent",
    patches: [
      {
        file: "packages/tool-kit/src/result-message.ts",
        find: `return RESULT_TOPIC.exec(replyTo ?? "")?.[1] ?? DEFAULT_AGENT;`,
        replace: `return replyTo === undefined || RESULT_TOPIC.test(replyTo) ? DEFAULT_AGENT : DEFAULT_AGENT;`,
      },
    ],
  },
  "B-06": {
    breaks: "an answer is joined to the first call that is open, whatever it names",
    patches: [
      {
        file: "services/agent/src/loop/join.ts",
        find: "snapshot.calls.find((known) => known.value.callId === answer.callId)?.value;",
        replace: `snapshot.calls.find((known) => known.value.callId === answer.callId || known.value.state !== "resolved")?.value;`,
      },
    ],
  },
  "G-02": {
    breaks: "a name of another toolset is taken over",
    patches: [
      {
        file: "packages/tool-kit/src/registry.ts",
        find: "  if (!first) return;\n  throw new RegistryConflict(",
        replace: "  if (first) return;\n  throw new RegistryConflict(",
      },
    ],
  },
  "G-07": {
    breaks: "an author's own remarks reach the model",
    patches: [
      {
        file: "packages/contracts/src/public-tool.ts",
        find: `.filter(([word]) => !word.startsWith("x-"))`,
        replace: `.filter(([word]) => word !== "")`,
      },
    ],
  },
  "G-08": {
    breaks: "a tool that computes is given as long as one that reads",
    patches: [
      {
        file: "packages/tool-kit/src/define-tool.ts",
        find: "{ read: 5000, write: 30_000, compute: 2000 }",
        replace: "{ read: 5000, write: 30_000, compute: 5000 }",
      },
    ],
  },
  "G-14": {
    breaks: "thirteen tools are offered without a word",
    patches: [{ file: "services/agent/src/tool-offer.ts", find: "const MANY_TOOLS = 12;", replace: "const MANY_TOOLS = 13;" }],
  },
  "X-05": {
    breaks: "a write is given six times as long as it should have",
    patches: [
      {
        file: "packages/tool-kit/src/define-tool.ts",
        find: "{ read: 5000, write: 30_000, compute: 2000 }",
        replace: "{ read: 5000, write: 180_000, compute: 2000 }",
      },
    ],
  },
  "X-13": {
    breaks: "a call without a result passes",
    patches: [{ file: "packages/models/src/pairing.ts", find: "  if (first !== undefined)\n", replace: `  if (first === "")\n` }],
  },
  "C-02": {
    breaks: "text is cut wherever the longest chunk ends",
    patches: [
      {
        file: "services/agent/src/memory/chunk-text.ts",
        find: "const best = wholeEnd(text, cuts.best(lo, hi));",
        replace: "const best = wholeEnd(text, cuts.best(hi, hi));",
      },
    ],
  },
  "C-03": {
    breaks: "chunks may be half as long as they should be at least",
    patches: [
      {
        file: "services/agent/src/memory/chunk-text.ts",
        find: "const LEAST_CHUNK_CHARS = 20_000;",
        replace: "const LEAST_CHUNK_CHARS = 10_000;",
      },
    ],
  },
  "A-09": {
    breaks: "an approval's timer is taken for one that is early, again and again",
    patches: [
      {
        file: "services/approvals/src/expiry.ts",
        find: "const moved = approval ? expire(approval, { now }) : null;",
        replace: "const moved = approval ? expire(approval, { now: now - expiryMs }) : null;",
      },
    ],
  },
  "K-03": {
    breaks: "what changed something is forgotten before what looked something up",
    patches: [
      {
        file: "services/agent/src/context/importance.ts",
        find: "if (head.calls.some(({ name }) => isWrite(name))) return 0.9;",
        replace: "if (head.calls.some(({ name }) => isWrite(name))) return 0;",
      },
    ],
  },
  "R-03": {
    breaks: "every attempt at a model call says that it is the first",
    patches: [
      {
        file: "services/agent/src/loop/step-span.ts",
        find: "[attributeNames.attempt]: (modelFailures?.count ?? 0) + 1,",
        replace: "[attributeNames.attempt]: Math.min(1, (modelFailures?.count ?? 0) + 1),",
      },
    ],
  },
  "LV-02": {
    breaks: "a client that comes back is told the event that it has",
    patches: [
      {
        file: "services/gateway/src/stream/event-id.ts",
        find: `return /^\\d{1,15}$/.test(digits) ? Number(digits) : null;`,
        replace: `return /^\\d{1,15}$/.test(digits) ? Math.max(0, Number(digits) - 1) : null;`,
      },
    ],
  },
  "LV-05": {
    breaks: "messages that wait are taken last first",
    patches: [
      {
        file: "services/agent/src/loop/conversation.ts",
        find: "return a.interrupts ? b.accepted - a.accepted : a.accepted - b.accepted;",
        replace: "return b.accepted - a.accepted;",
      },
    ],
  },
  "LV-14": {
    breaks: "a question is open for ever",
    patches: [
      {
        file: "services/agent/src/loop/ask.ts",
        find: `heldSince: draft.now, askExpiresAt: expiresAt }, ASK_EXPIRY_MS);`,
        replace: `heldSince: draft.now, askExpiresAt: expiresAt }, null);`,
      },
    ],
  },
  "LV-32": {
    breaks: "a run is given the definition that another one began with",
    patches: [
      {
        file: "services/agent/src/catalogue.ts",
        find: "new Map(tools.map((tool) => [tool.hash, byHash.get(tool.hash)]))",
        replace: "new Map(tools.map((tool) => [tool.hash, byHash.values().find(({ definition }) => definition.name === tool.name)]))",
      },
    ],
  },
  "G-15": {
    breaks: "a tool that nobody has registered is sent to a queue",
    patches: [
      {
        file: "services/agent/src/loop/turn.ts",
        find: "    if (!offered) return { call, result: unknownTool(asked.name, tools) };\n    const quarantined = definitionFault(offered.definition);",
        replace: "    if (!offered) return { call };\n    const quarantined = definitionFault(offered.definition);",
      },
    ],
  },
  "X-03": {
    breaks: "of several arguments that are wrong the first alone is told",
    patches: [
      {
        file: "packages/tool-kit/src/read-arguments.ts",
        find: "if (problems.length > 0) return { ok: false, problems };",
        replace: "if (problems.length > 0) return { ok: false, problems: problems.slice(0, 1) };",
      },
    ],
  },
  "X-06": {
    breaks: "nine reads of one turn run at once",
    patches: [
      { file: "services/agent/src/profile.ts", find: "export const PARALLEL_CALLS = 8;", replace: "export const PARALLEL_CALLS = 9;" },
    ],
  },
  "X-14": {
    breaks: "the model is not told when it may come again",
    patches: [
      {
        file: "packages/contracts/src/result.ts",
        find: "    retryable,\n    retryAfter,\n    details,\n    truncated,\n  });",
        replace: "    retryable,\n    details,\n    truncated,\n  });",
      },
    ],
  },
  "C-08": {
    breaks: "the model's own number goes before the profile's",
    patches: [
      {
        file: "services/agent/src/memory/take-result.ts",
        find: "chars: limits.resultChars ?? capabilities.resultChars,",
        replace: "chars: capabilities.resultChars,",
      },
    ],
  },
  "A-06": {
    breaks: "a person's no is told in another word",
    patches: [
      {
        file: "packages/contracts/src/result.ts",
        find: 'return code === "denied_by_user" ? "APPROVAL_DENIED" : code.toUpperCase();',
        replace: "return code.toUpperCase();",
      },
    ],
  },
  "K-05": {
    breaks: "no tenth of the window is left free",
    patches: [{ file: "services/agent/src/context/budget.ts", find: "const MARGIN = 0.1;", replace: "const MARGIN = 0.01;" }],
  },
  "R-01": {
    breaks: "the wait between attempts does not grow",
    patches: [
      { file: "services/agent/src/loop/model-retry.ts", find: "policy.initialMs * 2 ** before", replace: "policy.initialMs * 1 ** before" },
    ],
  },
  "Z-03": {
    breaks: "a risky release is as grave as its mildest finding",
    patches: [
      {
        file: "packages/models/src/offline/assess-release.ts",
        find: 'severity: findings[0]?.severity ?? "low"',
        replace: 'severity: findings.at(-1)?.severity ?? "low"',
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
};
