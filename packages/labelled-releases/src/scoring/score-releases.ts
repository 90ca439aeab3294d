import { findingKinds, severities, type Severity } from "../label.ts";
import { agree, type LabelledPlace } from "./places.ts";
import { type Share, shareOf, wilsonInterval } from "./share.ts";
import type { FindingKind, ProjectLabel, Verdict, VerdictFinding } from "./verdict.ts";

/** How well verdicts agree with labels. */
export interface Score {
  readonly releases: number;
  /** Verdicts whose severity is a class of the label, with the 95 % Wilson interval. */
  readonly inside: Share & { readonly interval: readonly [number, number] };
  /** The recall of each class, and their mean. A label of two classes belongs to the class that it names first, and either class is right. */
  readonly recallOfClass: Readonly<Record<Severity, Share>>;
  readonly macroRecall: number | null;
  /** Findings of verdicts that a label confirms. A finding without a label counts as wrong. */
  readonly precision: Share;
  readonly precisionOfKind: Readonly<Partial<Record<FindingKind, Share>>>;
  /** Findings of labels that a verdict has. */
  readonly recall: Share;
  readonly recallOfKind: Readonly<Partial<Record<FindingKind, Share>>>;
  readonly securityRecall: Share;
  /** Breaking changes and removed APIs as one kind, because a label may call the same fact by either name. */
  readonly breakingRecall: Share;
  /** Kinds that a label calls absent and a verdict reports, out of all kinds that labels call absent. */
  readonly wronglyReported: Share;
}

interface Pair {
  readonly verdict: Verdict;
  readonly label: ProjectLabel["label"];
}

/** Compares verdicts with labels. Throws if a label has no verdict. */
export function scoreReleases(verdicts: readonly Verdict[], labels: readonly ProjectLabel[]): Score {
  const byName = new Map(verdicts.map((verdict) => [`${verdict.project} ${verdict.release}`, verdict]));
  const pairs = labels.map(({ project, label }): Pair => {
    const verdict = byName.get(`${project} ${label.release}`);
    if (!verdict) throw new Error(`There is no verdict for the release ${label.release} of ${project}.`);
    return { verdict, label };
  });
  const inside = shareOf(pairs.filter(isInside).length, pairs.length);
  const recalls = severities.map((severity): [Severity, Share] => {
    const own = pairs.filter(({ label }) => label.severity[0] === severity);
    return [severity, shareOf(own.filter(isInside).length, own.length)];
  });
  const known = recalls.flatMap(([, { share }]) => (share === null ? [] : [share]));
  const reported = pairs.flatMap(({ verdict, label }) =>
    verdict.findings.map((finding) => ({ kind: finding.kind, right: isConfirmed(finding, label) })),
  );
  const labelled = pairs.flatMap(({ verdict, label }) =>
    label.findings.map((labelled) => ({
      kind: labelled.kind,
      right: isFound([labelled.kind], labelled, verdict),
      eitherKind: isFound(BREAKING, labelled, verdict),
    })),
  );
  const breaking = labelled.filter(({ kind }) => BREAKING.includes(kind)).map(({ eitherKind }) => ({ right: eitherKind }));
  const absent = pairs.flatMap(({ verdict, label }) =>
    label.absent.map(({ kind }) => ({ right: verdict.findings.some((finding) => finding.kind === kind) })),
  );
  return {
    releases: pairs.length,
    inside: { ...inside, interval: wilsonInterval(inside) },
    recallOfClass: { low: shareFor(recalls, "low"), medium: shareFor(recalls, "medium"), high: shareFor(recalls, "high") },
    macroRecall: known.length === 0 ? null : known.reduce((sum, share) => sum + share, 0) / known.length,
    precision: shareOfRight(reported),
    precisionOfKind: byKind(reported),
    recall: shareOfRight(labelled),
    recallOfKind: byKind(labelled),
    securityRecall: shareOfRight(labelled.filter(({ kind }) => kind === "security_fix")),
    breakingRecall: shareOfRight(breaking),
    wronglyReported: shareOfRight(absent),
  };
}

/** Returns the class that is right for most of these labels. It is the best that somebody can say who has not looked at a release. */
export function commonestClass(labels: readonly ProjectLabel[]): Severity {
  const count = (severity: Severity) => labels.filter(({ label }) => label.severity.includes(severity)).length;
  return severities.reduce((best, severity) => (count(severity) > count(best) ? severity : best));
}

/** Returns true if the label has a finding of the same kind whose place does not contradict this one. */
export function isConfirmed(finding: VerdictFinding, label: ProjectLabel["label"]): boolean {
  return label.findings.some((labelled) => labelled.kind === finding.kind && agree(labelled, finding));
}

const BREAKING: readonly FindingKind[] = ["breaking_change", "removed_api"];

/** Returns true if the verdict has a finding of one of these kinds whose place does not contradict the label's. */
export function isFound(kinds: readonly FindingKind[], labelled: LabelledPlace, verdict: Verdict): boolean {
  return verdict.findings.some((finding) => kinds.includes(finding.kind) && agree(labelled, finding));
}

/** Returns true if the severity of the verdict is a class of the label. */
export function isInside({ verdict, label }: Pair): boolean {
  return label.severity.includes(verdict.severity);
}

function shareFor(recalls: readonly (readonly [Severity, Share])[], severity: Severity): Share {
  return recalls.find(([known]) => known === severity)?.[1] ?? shareOf(0, 0);
}

function shareOfRight(items: readonly { readonly right: boolean }[]): Share {
  return shareOf(items.filter(({ right }) => right).length, items.length);
}

function byKind(items: readonly { readonly kind: FindingKind; readonly right: boolean }[]): Partial<Record<FindingKind, Share>> {
  const shares = findingKinds.map((kind) => [kind, shareOfRight(items.filter((item) => item.kind === kind))] as const);
  return Object.fromEntries(shares.filter(([, { of }]) => of > 0));
}
