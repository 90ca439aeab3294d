import { judgeReleases } from "./compare-rules.ts";
import { isConfirmed, isFound, isInside } from "./score-releases.ts";
import type { ProjectLabel, Verdict } from "./verdict.ts";

/**
 * Returns a line for each difference between the rules over release facts and the labels of the tuning part. There is no such list of the held-out
 * part, because nobody may look at its releases while they change a rule.
 */
export function missesOfTuning(): readonly string[] {
  const { labels, now } = judgeReleases("tuning");
  return labels.flatMap((label, index) => {
    const verdict = now[index];
    return verdict ? missesOf(verdict, label) : [];
  });
}

/** Returns the differences between a verdict and a label, one line each. */
export function missesOf(verdict: Verdict, { project, label }: ProjectLabel): readonly string[] {
  const name = `${project} ${label.release}`;
  const severity = isInside({ verdict, label })
    ? []
    : [`${name}: severity ${verdict.severity}, the label says ${label.severity.join(" or ")}`];
  const wrong = verdict.findings
    .filter((finding) => !isConfirmed(finding, label))
    .map(
      ({ kind, commits, files, dependencies }) => `${name}: no label for ${kind} at ${[...commits, ...files, ...dependencies].join(", ")}`,
    );
  const missing = label.findings
    .filter((labelled) => !isFound([labelled.kind], labelled, verdict))
    .map(({ kind, where }) => `${name}: not found: ${kind} at ${where}`);
  const absent = label.absent
    .filter(({ kind }) => verdict.findings.some((finding) => finding.kind === kind))
    .map(({ kind }) => `${name}: ${kind} is reported, and the label calls it absent`);
  return [...severity, ...wrong, ...missing, ...absent];
}
