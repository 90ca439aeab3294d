import type { Mutant } from "./mutant.ts";

/** Mutants of the rules for decisions that a person sends together. */
export const batches: readonly Mutant[] = [
  {
    name: "high write in a batch",
    breaks: "a person approves a high write in one click with others",
    within: 300,
    variant: "batches",
    patches: [
      {
        file: "services/approvals/src/decisions/decisions.ts",
        find: 'if (!alone && atLeast(tier, "high")) return no(',
        replace: 'if (!alone && tier === "critical") return no(',
      },
    ],
  },
  {
    name: "batch ends at a refusal",
    breaks: "a refused decision of a batch leaves the later ones undecided and unanswered",
    within: 300,
    variant: "batches",
    patches: [
      {
        file: "services/approvals/src/routes/batch-route.ts",
        find: "for (const [n, item] of body.decisions.entries())",
        replace: "for (const [n, item] of body.decisions.entries()) if (answers.at(-1)?.problem === undefined)",
      },
    ],
  },
  {
    name: "repeated batch refused",
    breaks: "a person who got no answer sends a batch again, and its key is refused as the key of another request",
    within: 300,
    variant: "batches",
    patches: [
      {
        file: "services/approvals/src/routes/request-keys.ts",
        find: "if (JSON.stringify(used) !== JSON.stringify({ bodyHash })) throw keyReused();",
        replace: "if (used !== bodyHash) throw keyReused();",
      },
    ],
  },
];
