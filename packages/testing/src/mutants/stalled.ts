import type { Mutant } from "./mutant.ts";

/** Mutants in which a part of the product does no work. Such a part breaks no guarantee, so only the missing work shows the bug. */
export const stalled: readonly Mutant[] = [
  {
    name: "every step throws",
    breaks: "an agent's step fails before it begins, each time",
    within: 60,
    patches: [
      {
        file: "services/agent/src/steps/lease-keeper.ts",
        find: "  const controller = new AbortController();\n  let why",
        replace: '  if (forMs > 0) throw new Error("It is broken.");\n  const controller = new AbortController();\n  let why',
      },
    ],
  },
  {
    name: "every model call given up",
    breaks: "a step takes the model's answer for a failure that may be repeated",
    within: 60,
    patches: [
      {
        file: "packages/testing/src/world/scripted-model.ts",
        find: `said ??= faults.hit("failing_model") ?`,
        replace: `said ??= faults.hit("failing_model") || wire.clockwork.now > 0 ?`,
      },
    ],
  },
  {
    name: "results not joined",
    breaks: "an agent takes every answer for one that nobody requested",
    within: 60,
    patches: [
      {
        file: "services/agent/src/transitions/join.ts",
        find: `if (!call) return { kind: "orphan", why: "no such call in the current round" };`,
        replace: `if (!call || answer.secretHash !== null) return { kind: "orphan", why: "no such call in the current round" };`,
      },
    ],
  },
  {
    name: "approvals not asked",
    breaks: "an agent waits for a grant that it does not request",
    within: 60,
    patches: [
      {
        file: "services/agent/src/transitions/request-grant.ts",
        find: "draft.send(approvalRequestMessage(asked, asked.afterUntrusted ? draft.run.taint : undefined, draft.rules, draft.now));",
        replace: "void approvalRequestMessage;",
      },
    ],
  },
  {
    name: "approvals that do not sign",
    breaks: "an approved write gets an answer without a grant",
    within: 120,
    patches: [
      {
        file: "services/approvals/src/answers/answers.ts",
        find: "const grant = terms && (await signGrant(grantClaims({ ...approval, grant: terms }), identity.signer));",
        replace: "const grant = terms && signGrant && grantClaims ? undefined : undefined;",
      },
    ],
  },
  {
    name: "approvals that grant nothing by policy",
    breaks: "people must decide small writes too",
    within: 60,
    patches: [
      {
        file: "services/approvals/src/requests/policy.ts",
        find: `return need === 0 ? "policy" : "people";`,
        replace: `return need === -1 ? "policy" : "people";`,
      },
    ],
  },
  {
    name: "a worker that answers nothing",
    breaks: "a worker does the work and publishes no result",
    within: 60,
    patches: [
      {
        file: "packages/tool-kit/src/calls/invoke-pipeline.ts",
        find: "await publish(resultMessage({ ...parts, result: outcome.result, receipt: outcome.receipt }));",
        replace: "void publish, resultMessage;",
      },
    ],
  },
  {
    name: "a worker that refuses every grant",
    breaks: "a worker accepts no grant as genuine",
    within: 60,
    patches: [
      {
        file: "packages/tool-kit/src/writes/check-grant.ts",
        find: "switch (verdict.kind) {",
        replace:
          'if (verdict.kind === "granted") return { kind: "forged", reason: "signature", detail: "no" } as never;\n  switch (verdict.kind) {',
      },
    ],
  },
  {
    name: "no wakes and no timers",
    breaks: "a run that became ready is not continued",
    within: 60,
    patches: [
      {
        file: "services/agent/src/transitions/acquire.ts",
        find: `if (run.status !== "ready" || waitsForProvider(run, now)) return { kind: "not-ready" };`,
        replace: `if (run.status !== "ready" || run.round > 1 || waitsForProvider(run, now)) return { kind: "not-ready" };`,
      },
    ],
  },
  {
    name: "questions given up at once",
    breaks: "a question to the person ends at once, as if nobody had answered",
    within: 60,
    patches: [
      {
        file: "services/agent/src/transitions/ask.ts",
        find: "  const { ASK_EXPIRY_MS } = draft.rules.config;",
        replace: "  const ASK_EXPIRY_MS = draft.rules.config.ASK_EXPIRY_MS && 1;",
      },
    ],
  },
];
