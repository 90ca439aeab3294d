import type { TestMutant } from "./test-mutant.ts";

/** Mutants of the checks for decisions that approvals sends (decision 0096). */
export const decisionMutants: readonly TestMutant[] = [
  {
    name: "message signed for any grant",
    breaks: "a signed message is accepted with another grant",
    patches: [
      {
        file: "packages/grants/src/signed-message.ts",
        find: "grant === undefined ? {} : { grant: sha256(grant) };",
        replace: "grant === undefined ? {} : {};",
      },
    ],
    tests: ["packages/grants/src/signed-document.test.ts"],
  },
  {
    name: "decision taken without a signature",
    breaks: "the agent accepts anybody's decision about a write",
    patches: [
      {
        file: "services/agent/src/steps/write-proofs.ts",
        find: `verifySender(message, deciders);
      if (verdict.kind === "genuine") return true;`,
        replace: `verifySender(message, deciders);
      if (verdict.kind !== undefined) return true;`,
      },
    ],
    tests: ["services/agent/src/steps/write-proofs.test.ts", "services/agent/src/incoming/consumers.test.ts"],
  },
];
