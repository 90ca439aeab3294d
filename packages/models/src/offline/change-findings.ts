import { counted } from "@toolbus/contracts";
import type { Finding, Findings } from "./finding.ts";
import { quoted } from "./clean-text.ts";
import type { ReleaseFacts } from "./release-facts.ts";
import { changedAreas, isRevert } from "./risky-areas.ts";
import { severityOf } from "./thresholds.ts";

/** Returns the findings about the change itself, such as its size, its areas, its reverts and its authors. */
export function changeFindings(facts: ReleaseFacts): Findings {
  const findings = [...size(facts), ...areas(facts), ...reverts(facts), ...singleAuthor(facts)];
  const unknowns = [
    ...(facts.changedLines === null ? ["Size of the change: changed lines were not reported."] : []),
    ...(facts.changes.length === 0 ? ["Changes: none were listed."] : omitted(facts)),
  ];
  return { findings, unknowns };
}

function omitted({ changes, changeCount }: ReleaseFacts): readonly string[] {
  const missing = (changeCount ?? 0) - changes.length;
  return missing > 0 ? [`Changes: ${missing} of ${changeCount} are not listed in the summary, the rules have not seen them.`] : [];
}

function size({ changedLines, filesChanged }: ReleaseFacts): readonly Finding[] {
  if (changedLines === null) return [];
  const files = filesChanged === null ? "" : ` in ${counted(filesChanged, "file")}`;
  return [
    {
      severity: severityOf("changedLines", changedLines),
      text: `The release changes ${counted(changedLines, "line")}${files}.`,
      basis: "size, files",
      rule: "changed-lines",
    },
  ];
}

function areas({ paths, changes }: ReleaseFacts): readonly Finding[] {
  const hits = changedAreas(paths, changes);
  if (hits.length === 0) return [];
  const named = hits.map(({ area, seenIn }) => `${area} (${quoted(seenIn, 120)})`).join(", ");
  const text = `The release changes ${counted(hits.length, "risky area")}: ${named}.`;
  return [{ severity: severityOf("riskyAreas", hits.length), text, basis: "areas, files, changes", rule: "risky-areas" }];
}

function reverts({ changes }: ReleaseFacts): readonly Finding[] {
  const found = changes.filter(isRevert);
  const [first] = found;
  if (first === undefined) return [];
  const share = `${counted(found.length, "change")} out of ${changes.length} listed`;
  const text = `Revert, rollback or hotfix in the subject of ${share}; the first is ${quoted(first, 200)}.`;
  return [{ severity: severityOf("revertSubjects", found.length), text, basis: "changes", rule: "revert-subjects" }];
}

function singleAuthor({ authors, changedLines }: ReleaseFacts): readonly Finding[] {
  const [only] = authors;
  if (only === undefined || authors.length > 1 || changedLines === null) return [];
  const severity = severityOf("singleAuthorLines", changedLines);
  if (severity === "low") return [];
  return [
    {
      severity,
      text: `One author, ${quoted(only, 80)}, wrote all ${counted(changedLines, "line")}.`,
      basis: "authors, size",
      rule: "single-author",
    },
  ];
}
