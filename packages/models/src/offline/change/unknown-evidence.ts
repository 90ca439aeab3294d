import { counted, type Severity } from "@toolbus/contracts";
import type { ProductChange } from "./product-change.ts";

/** What the facts do not show, and how much that lowers the confidence in an assessment. */
export interface UnknownEvidence {
  readonly unknowns: readonly string[];
  readonly confidence: Severity;
}

/** Languages whose exported names and requirements the facts have. */
const KNOWN_LANGUAGES = /\.(?:[cm]?[jt]sx?|py|go|rs|svelte|vue)$/;

/** Names what the facts do not show. Two such gaps, or one that hides more than half of the release, make the confidence medium, and four make it low. */
export function unknownEvidence({ facts, files, fileCount }: ProductChange): UnknownEvidence {
  const { commits, dependencies, exports, version } = facts;
  const missingFiles = Math.max(0, fileCount - files.length);
  const foreign = files.filter(({ path }) => !KNOWN_LANGUAGES.test(path.toLowerCase()));
  const gaps: readonly (readonly [weight: number, applies: boolean, text: string])[] = [
    [
      isMost(commits.omitted, commits.total) ? 2 : 1,
      commits.omitted > 0,
      `${commits.omitted} of ${counted(commits.total, "commit")} are not in the facts.`,
    ],
    [
      isMost(missingFiles, fileCount) ? 2 : 1,
      missingFiles > 0,
      `${missingFiles} of ${counted(fileCount, "file")} of product code are not in the facts.`,
    ],
    [
      1,
      exports.omitted + dependencies.omitted > 0,
      `${exports.omitted + dependencies.omitted} of the changed exported names and dependencies are not in the facts.`,
    ],
    [2, !facts.baseIsAncestor, "The earlier release is on another branch, so commits of it may appear again and others may be missing."],
    [
      1,
      !facts.sameTagSeries && facts.base.tag && facts.head.tag,
      "The tags of both releases are named differently, so they may not follow each other.",
    ],
    [1, version.step === "unknown" || version.step === "none" || version.step === "back", "The step of the version is not known."],
    [
      1,
      files.length > 0 && foreign.length * 2 > files.length,
      "Most of the product code is in a language whose exported names the facts do not have.",
    ],
    // This says nothing bad about the release, so it has no weight.
    [
      0,
      facts.advisories?.ofPackage === 0 && facts.advisories.dependencies === undefined,
      "None of the given advisories is about this package, so they show nothing.",
    ],
    [3, commits.total === 0 && facts.files.total === 0, "The facts have no commit and no file."],
  ];
  const found = gaps.filter(([, applies]) => applies);
  const weight = found.reduce((total, [own]) => total + own, 0);
  return { unknowns: found.map(([, , text]) => text), confidence: weight >= 4 ? "low" : weight >= 2 ? "medium" : "high" };
}

function isMost(part: number, whole: number): boolean {
  return part * 2 > whole;
}
