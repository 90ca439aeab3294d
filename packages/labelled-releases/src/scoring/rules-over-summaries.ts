import { assessRelease, readReleaseFacts } from "@toolbus/models";
import type { ReleaseFacts } from "@toolbus/release-facts";
import type { Verdict, VerdictFinding } from "./verdict.ts";

/**
 * Returns what the rules over release summaries say about a release. Their summary is made from its facts: the subjects, paths and size of the change.
 * It has no tests and no metrics, and its authors are unknown.
 */
export function verdictOverSummary(facts: ReleaseFacts, release: string): Verdict {
  const summary = {
    release_id: release,
    version: facts.version.to,
    from: facts.base.ref,
    to: { name: facts.head.ref, committed_at: facts.head.date },
    changes: facts.commits.list.map(({ subject }) => subject),
    change_count: facts.commits.total,
    areas: [...new Set(facts.commits.list.flatMap(({ areas }) => areas ?? []))],
    files: { changed: facts.files.total, top: facts.files.list.map(({ path }) => path) },
    size: { insertions: facts.files.added, deletions: facts.files.deleted },
  };
  const read = readReleaseFacts(JSON.stringify(summary));
  if (!read) throw new Error("The summary is an object.");
  const { severity, findings } = assessRelease(read);
  return { project: facts.project, release, severity, findings: findings.flatMap(findingOf) };
}

const NOWHERE = { commits: [], files: [], dependencies: [] } as const;

// These rules have no kinds. Their findings about areas, reverts and a size that is more than low mean one each. Missing tests mean none.
function findingOf({ severity, basis }: ReturnType<typeof assessRelease>["findings"][number]): readonly VerdictFinding[] {
  if (basis === "areas, files, changes") return [{ kind: "risky_area", ...NOWHERE }];
  if (basis === "changes") return [{ kind: "revert", ...NOWHERE }];
  return basis === "size, files" && severity !== "low" ? [{ kind: "large_change", ...NOWHERE }] : [];
}
