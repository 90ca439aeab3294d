import type { Mutant } from "./mutant.ts";

/** Mutants without a protection of a decision with changed arguments, or without a protection of the time limit for decisions. */
export const edits: readonly Mutant[] = [
  {
    name: "edit keeps the old hash",
    breaks: "a grant for edited arguments has the hash of those that were asked for",
    within: 300,
    patches: [
      {
        file: "services/approvals/src/machine/edited.ts",
        find: "return { ...before, ...edit, edited,",
        replace: "return { ...before, ...edit, argsHash: before.argsHash, edited,",
      },
    ],
  },
  {
    name: "an approval of other arguments counts",
    breaks: "who approved what was asked for also counts for what another approver has made of it",
    within: 300,
    patches: [
      {
        file: "services/approvals/src/machine/edited.ts",
        find: "const first = edited === undefined ? 0 :",
        replace: "const first = edited === undefined || Number.isFinite(edited.at) ? 0 :",
      },
    ],
  },
  {
    name: "decision after expiry is accepted",
    breaks: "somebody approves a write whose time to decide is over; the transition and the store refuse it, so both checks are gone",
    within: 600,
    patches: [
      {
        file: "services/approvals/src/machine/approval.ts",
        find: `if (now > before.expiresAt) return illegal("expired");`,
        replace: "",
      },
      { file: "services/approvals/src/machine/approval.ts", find: "notAfter: before.expiresAt,", replace: "" },
    ],
  },
];
