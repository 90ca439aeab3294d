import type { Mutant } from "./mutant.ts";

const ROUTE = "services/approvals/src/routes/batch-route.ts";

/** Mutants of the request with which somebody decides several approvals. */
export const batches: readonly Mutant[] = [
  {
    name: "batch decides a high write",
    breaks: "a high write is decided together with others",
    within: 120,
    variant: "batches",
    patches: [
      {
        file: "services/approvals/src/decisions/decisions.ts",
        find: `if (!alone && atLeast(tier, "high")) return no(`,
        replace: `if (!alone && !atLeast(tier, "low")) return no(`,
      },
    ],
  },
  {
    name: "batch ends at a refusal",
    breaks: "a refused decision ends the batch, and the decisions after it get no answer",
    within: 120,
    variant: "batches",
    patches: [
      {
        file: ROUTE,
        find: "for (const [n, item] of body.decisions.entries())",
        replace: "for (const [n, item] of body.decisions.entries()) if (made.every(({ answer }) => answer.status === 200))",
      },
    ],
  },
  {
    name: "batch refuses the rest",
    breaks: "the decisions after a refused one are refused too",
    within: 120,
    variant: "batches",
    patches: [
      {
        file: ROUTE,
        find: "for (const [n, item] of body.decisions.entries())",
        replace: `for (const [n, item] of body.decisions.entries())
        if (made.some(({ answer }) => answer.status !== 200)) made.push({ use: null, answer: { approval: item.approval, status: 404 } });
        else`,
      },
    ],
  },
  {
    name: "batch answers in another order",
    breaks: "the answers to a batch are not in the order of its decisions",
    within: 120,
    variant: "batches",
    patches: [{ file: ROUTE, find: "made.map(({ answer }) => answer)", replace: "made.map(({ answer }) => answer).toReversed()" }],
  },
  {
    name: "repeated batch refused",
    breaks: "a repeated batch is refused, although its decisions were accepted the first time",
    within: 120,
    variant: "batches",
    patches: [
      {
        file: ROUTE,
        find: "if (key !== undefined) use = await firstUse({ state, documents }, { approvalId: approval, principal, key, body: request });",
        replace: `if (key !== undefined && (await firstUse({ state, documents }, { approvalId: approval, principal, key, body: request })) === "again")
        throw notFound();`,
      },
    ],
  },
  {
    name: "batch without plans",
    breaks: "a decision of a batch cannot name the plan on the card, so nobody can approve a write with a plan there",
    within: 120,
    variant: "batches",
    patches: [
      {
        file: "packages/contracts/src/decision-batch.ts",
        find: "          planHash: Type.Optional(Type.String({ maxLength: 64 })),",
        replace: "",
      },
    ],
  },
  {
    name: "policy that asks nobody",
    breaks: "policy grants a write about which it should ask people",
    within: 120,
    variant: "batches",
    patches: [
      {
        file: "services/approvals/src/policy/judge-policy.ts",
        find: "const need = Math.max(APPROVERS_NEEDED[tier], needs.approvers);",
        replace: "const need = APPROVERS_NEEDED[tier];",
      },
    ],
  },
  {
    name: "one key for all writes of a run",
    breaks: "a batch with a key decides only one write of each run",
    within: 120,
    variant: "batches",
    patches: [
      {
        file: "services/approvals/src/routes/request-keys.ts",
        find: "hashOf(approvalId, principal.tenant,",
        replace: "hashOf(principal.tenant,",
      },
    ],
  },
];
