/** A number of the rules over release facts. `docs/offline-investigator.md` contains the same number and sentence. */
interface ChangeThreshold {
  readonly value: number;
  readonly sentence: string;
}

/** Every number of the rules over release facts. A value that equals the threshold reaches it. */
export const changeThresholds = {
  codeLinesForLook: {
    value: 40,
    sentence:
      "Inserted plus deleted lines of product code from which a release is medium. Comments, imports and version numbers do not count.",
  },
  largeCodeLines: {
    value: 1500,
    sentence: "Inserted lines of product code from which a change is too large to review line by line. Deleted lines do not count.",
  },
  hugeCodeLines: {
    value: 5000,
    sentence: "Inserted lines of product code from which a large change is high, unless the release is a candidate.",
  },
  hotfixDays: { value: 15, sentence: "The most days after the earlier release at which a patch may be a hotfix of it." },
  hotfixCommits: { value: 3, sentence: "The most commits to product code that a hotfix has. More of them are an ordinary patch." },
  hotfixRushDays: {
    value: 1,
    sentence: "The most days after the earlier release at which a repair is a hotfix whatever lines it changes.",
  },
  unpromisedNames: {
    value: 2,
    sentence:
      "Names of Python modules that must be gone in a patch or in 0.x before that is a finding. One name alone was mostly for inner use.",
  },
  runtimeSteps: { value: 5, sentence: "Runtime dependencies that move from which a release is medium, whatever their steps are." },
  bulkSteps: {
    value: 11,
    sentence: "Runtime dependencies that move from which a major step among them is a finding only if a commit names the dependency.",
  },
  quietCodeFiles: {
    value: 10,
    sentence:
      "The most changed files of product code at which ordinary steps of dependencies are a finding. In a larger release they are noise.",
  },
  verbDistance: {
    value: 30,
    sentence: "The most characters between the verb and the security word in the subject of a security fix.",
  },
  likelyFixes: {
    value: 4,
    sentence:
      "The most commits whose body names an attack, and the most repairs with a test, that may be the fixes of advisories without a commit.",
  },
  evidence: { value: 10, sentence: "The most places that one finding names." },
  graveEvidence: { value: 24, sentence: "The most places that a finding about a security fix, a breaking change or a removed API names." },
} as const satisfies Record<string, ChangeThreshold>;
