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
    findings: findings.map(({ kind, evidence }) => ({
      kind,
      commits: evidence.flatMap((place) => ("commit" in place ? [place.commit] : [])),
      files: evidence.flatMap((place) => ("file" in place ? [place.file] : [])),
      dependencies: evidence.flatMap((place: Evidence) => ("dependency" in place ? [place.dependency] : [])),
    })),
  };
}
