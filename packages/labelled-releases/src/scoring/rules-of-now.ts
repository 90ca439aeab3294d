import { assessChange, type ChangeAssessment, type Evidence } from "@toolbus/models";
import type { ReleaseFacts } from "@toolbus/release-facts";
import type { Verdict } from "./verdict.ts";

/** Returns what the rules over release facts say about a release. */
export function verdictOfNow(facts: ReleaseFacts, release: string): Verdict {
  const namesOf = new Map((facts.advisories?.fixed.list ?? []).map(({ id, aliases = [] }) => [id, [id, ...aliases]] as const));
  return verdictOf(assessChange(facts), facts.project, release, namesOf);
}

/** Returns what the same rules say without a list of advisories. */
export function verdictWithoutAdvisories({ advisories: _, ...facts }: ReleaseFacts, release: string): Verdict {
  return verdictOfNow(facts, release);
}

/** Returns an assessment in the words of the labels. `namesOf` has all ids of each advisory. */
export function verdictOf(
  { severity, findings }: ChangeAssessment,
  project: string,
  release: string,
  namesOf: ReadonlyMap<string, readonly string[]> = new Map(),
): Verdict {
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
      advisories: evidence.flatMap((place) => ("advisory" in place ? (namesOf.get(place.advisory) ?? [place.advisory]) : [])),
    })),
  };
}
