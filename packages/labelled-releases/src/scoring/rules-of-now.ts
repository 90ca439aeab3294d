import { assessChange, type ChangeAssessment, type Evidence } from "@toolbus/models";
import type { ReleaseFacts } from "@toolbus/release-facts";
import type { Verdict } from "./verdict.ts";

/** Returns what the rules over release facts say about a release. */
export function verdictOfNow(facts: ReleaseFacts, release: string): Verdict {
  return verdictOf(assessChange(facts), facts.project, release);
}

/** Returns an assessment in the words of the labels. */
export function verdictOf({ severity, findings }: ChangeAssessment, project: string, release: string): Verdict {
  return {
    project,
    release,
    severity,
    findings: findings.map(({ kind, rule, evidence }) => ({
      kind,
      commits: evidence.flatMap((place) => ("commit" in place ? [place.commit] : [])),
      // An entry of a changelog says what changes and not where, so its place cannot be compared with a place in the product.
      files: rule.endsWith("-changelog") ? [] : evidence.flatMap((place) => ("file" in place ? [place.file] : [])),
      dependencies: evidence.flatMap((place: Evidence) => ("dependency" in place ? [place.dependency] : [])),
    })),
  };
}
