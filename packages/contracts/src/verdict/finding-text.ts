import { headOf } from "../cut-text.ts";
import { SEVERITIES, type Severity } from "../report.ts";
import type { Verdict, VerdictEvidence, VerdictFinding, VerdictPoint } from "./verdict.ts";

// A finding of a report is a text that people read before they approve it. So the parts of a verdict have one form as text, and the verdict is read
// from the texts again. Foreign words are in quotation marks and cannot contain a quotation mark or one of our marks, so they cannot end a part.

/** The longest finding that can be filed. */
export const MAX_FINDING_CHARS = 1000;
const TEXT_CHARS = 400;
const ADVICE_CHARS = 200;

/** What a verdict is about, and how much was known. */
export type Assessed = Pick<Verdict, "base" | "head" | "package" | "confidence"> & { readonly rules: readonly string[] };

/** Returns the first text of a report: what was compared, the confidence and every rule that applied. */
export function assessedText({ base, head, package: name, confidence, rules }: Assessed): string {
  const range = base && head ? ` from ${pointText(base)} to ${pointText(head)}` : "";
  const inPackage = name === null ? "" : `, package ${inQuotes(name, 80)}`;
  const known = confidence === null ? "" : ` Confidence: ${confidence}.`;
  return fitted(`Assessed: the release${range}${inPackage}.${known} Rules: ${rules.length === 0 ? "none" : rules.map(word).join(", ")}.`);
}

/** Returns a finding as one text. Places that do not fit are counted and not named. */
export function findingText({ severity, kind, rule, text, evidence, evidenceOmitted, advice }: VerdictFinding): string {
  const by = kind !== null && rule !== null ? `${word(kind)} (${word(rule)}): ` : "";
  const head = `${severity === null ? "" : `${severity}: `}${by}${plain(text, TEXT_CHARS)}`;
  const todo = advice === null ? "" : ` Do: ${plain(advice, ADVICE_CHARS)}`;
  const places = evidence.map(evidenceText);
  for (let shown = places.length; shown > 0; shown--) {
    const more = places.length - shown + evidenceOmitted;
    const where = ` Where: ${places.slice(0, shown).join("; ")}${more > 0 ? `; and ${more} more` : ""}.`;
    if (head.length + where.length + todo.length <= MAX_FINDING_CHARS) return head + where + todo;
  }
  return fitted(head + todo);
}

export const unknownText = (unknown: string): string => fitted(`Not known: ${plain(unknown, MAX_FINDING_CHARS)}`);

/** Returns the verdict that the texts of a report contain. A text in another form is a finding without parts. */
export function verdictIn(findings: readonly string[]): Verdict {
  const assessed = assessedIn(findings[0] ?? "");
  const rest = assessed ? findings.slice(1) : findings;
  const starting = (mark: string) => rest.filter((text) => text.startsWith(mark)).map((text) => text.slice(mark.length));
  return {
    ...(assessed ?? { base: null, head: null, package: null, confidence: null, rules: [] }),
    findings: rest.filter((text) => !text.startsWith(UNKNOWN) && !text.startsWith(REVIEWER)).map(findingIn),
    unknowns: starting(UNKNOWN),
    comments: starting(REVIEWER),
  };
}

const UNKNOWN = "Not known: ";
const REVIEWER = "Reviewer: ";
const QUOTED = `"([^"]*)"`;
const POINT = `${QUOTED}(?: \\(([0-9a-f]{1,64})\\))?`;
const ASSESSED = new RegExp(
  `^Assessed: the release(?: from ${POINT} to ${POINT})?(?:, package ${QUOTED})?\\.(?: Confidence: (low|medium|high)\\.)? Rules: ([a-z0-9_, -]+)\\.$`,
);

function assessedIn(text: string): Pick<Verdict, keyof Assessed> | null {
  const found = ASSESSED.exec(text);
  if (!found) return null;
  const [, base, baseCommit, head, headCommit, name, confidence, rules = ""] = found;
  return {
    base: base === undefined ? null : { ref: base, commit: baseCommit ?? null },
    head: head === undefined ? null : { ref: head, commit: headCommit ?? null },
    package: name ?? null,
    confidence: severityOf(confidence),
    rules: rules === "none" ? [] : rules.split(", "),
  };
}

function findingIn(text: string): VerdictFinding {
  const [, severity, kind, rule, rest = ""] = /^(?:(low|medium|high): )?(?:([a-z0-9_-]+) \(([a-z0-9_-]+)\): )?(.*)$/s.exec(text) ?? [];
  const todo = rest.lastIndexOf(" Do: ");
  const before = todo < 0 ? rest : rest.slice(0, todo);
  const where = before.lastIndexOf(" Where: ");
  const places = where < 0 ? null : placesIn(before.slice(where + " Where: ".length));
  return {
    severity: severityOf(severity),
    kind: kind ?? null,
    rule: rule ?? null,
    // A text whose places have another form is shown whole, because a part of it must not be lost.
    text: places === null ? before : before.slice(0, where),
    evidence: places?.evidence ?? [],
    evidenceOmitted: places?.omitted ?? 0,
    advice: todo < 0 ? null : rest.slice(todo + " Do: ".length),
  };
}

const VALUE = `(none|"[^"]*")`;
const PLACE = new RegExp(
  `(?:commit ([0-9a-f]{1,64}) ${QUOTED}|file ${QUOTED}(?: lines (\\d{1,9})-(\\d{1,9}))?|dependency ${QUOTED} ${VALUE} to ${VALUE}|advisory ${QUOTED})(?:; )?`,
  "y",
);

function placesIn(text: string): { readonly evidence: VerdictEvidence[]; readonly omitted: number } | null {
  const evidence: VerdictEvidence[] = [];
  const place = new RegExp(PLACE);
  let end = 0;
  for (let found = place.exec(text); found; found = place.exec(text)) {
    const [, commit, subject = "", file, first, last, dependency = "", from, to, advisory] = found;
    end = place.lastIndex;
    if (commit !== undefined) evidence.push({ commit, subject });
    else if (file !== undefined) evidence.push({ file, lines: first === undefined ? null : [Number(first), Number(last)] });
    else if (advisory !== undefined) evidence.push({ advisory });
    else evidence.push({ dependency, from: valueOf(from), to: valueOf(to) });
  }
  const [, more] = /^(?:and (\d{1,9}) more)?\.$/.exec(text.slice(end)) ?? [null];
  if (evidence.length === 0 || more === null) return null;
  return { evidence, omitted: Number(more ?? 0) };
}

function evidenceText(place: VerdictEvidence): string {
  if ("commit" in place)
    return `commit ${
      place.commit
        .toLowerCase()
        .replaceAll(/[^0-9a-f]/g, "")
        .slice(0, 64) || "0"
    } ${inQuotes(place.subject, 100)}`;
  if ("file" in place) return `file ${inQuotes(place.file, 200)}${place.lines ? ` lines ${place.lines.join("-")}` : ""}`;
  if ("advisory" in place) return `advisory ${inQuotes(place.advisory, 100)}`;
  return `dependency ${inQuotes(place.dependency, 100)} ${valueText(place.from)} to ${valueText(place.to)}`;
}

function pointText({ ref, commit }: VerdictPoint): string {
  const hash = commit
    ?.toLowerCase()
    .replaceAll(/[^0-9a-f]/g, "")
    .slice(0, 12);
  return `${inQuotes(ref, 120)}${hash ? ` (${hash})` : ""}`;
}

const valueText = (value: string | null): string => (value === null ? "none" : inQuotes(value, 60));
const valueOf = (text: string | undefined): string | null => (text === undefined || text === "none" ? null : text.slice(1, -1));
const severityOf = (text: string | undefined): Severity | null => SEVERITIES.find((known) => known === text) ?? null;
const word = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .slice(0, 60);
const fitted = (text: string): string => headOf(text, MAX_FINDING_CHARS);
const inQuotes = (text: string, chars: number): string => `"${plain(text, chars).replaceAll('"', "'")}"`;

/** Returns foreign text as one line without control characters and without the marks of a finding. */
function plain(text: string, chars: number): string {
  const line = text
    .slice(0, chars * 4)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/\b(Where|Do):/g, "$1")
    .trim();
  return line.length <= chars ? line : `${headOf(line, chars - 1)}…`;
}
