import { findingKinds, severities } from "../label.ts";
import { readVerdictsBefore } from "../releases-folder.ts";
import type { ProjectLabel, Verdict } from "./verdict.ts";

/**
 * Returns what the rules over summaries said about these releases before rules over facts existed. Their verdicts are stored, because the rules over
 * summaries were corrected later, and a later reader must be able to compare with the same figures.
 */
export function verdictsBefore(labels: readonly ProjectLabel[]): readonly Verdict[] {
  const stored = readVerdictsBefore();
  return labels.map(({ project, label: { release } }) => {
    const [severity, ...kinds] = stored[project]?.[release]?.split(" ") ?? [];
    return {
      project,
      release,
      severity: known(severities, severity, `${project} ${release}`),
      findings: kinds.map((kind) => ({
        kind: known(findingKinds, kind, `${project} ${release}`),
        commits: [],
        files: [],
        dependencies: [],
      })),
    };
  });
}

function known<T extends string>(all: readonly T[], text: string | undefined, release: string): T {
  const found = all.find((each) => each === text);
  if (found === undefined) throw new Error(`verdicts-before.json: ${release} has no verdict in a known form`);
  return found;
}
