import { EVENT_CONTENT_CHARS } from "@toolbus/contracts";
import type { Observation } from "../observation/observation.ts";
import type { Score } from "../result/trial.ts";
import { partial } from "./score.ts";

/**
 * Scores whether the findings have only figures and names that the evidence has. Evidence is what the tools answered. A figure is also in the evidence
 * if it is a share of it as a percentage, the length of a list, a sum or a share within one object, or follows from two other figures of the same
 * finding. Names are paths, quoted words,
 * versions and identifiers. The score is advisory if the evidence was cut, because then it may hold more than was seen.
 */
export function groundedScore(findings: readonly string[], { calls }: Observation): Score {
  const contents = calls.flatMap(({ content }) => (content === undefined ? [] : [content]));
  const evidence = contents.join("\n").toLowerCase();
  const known = figuresOf(contents);
  const claims = findings.flatMap((finding) => claimsOf(finding, known, evidence));
  const invented = claims.filter(({ holds }) => !holds).map(({ text }) => text);
  const value = claims.length === 0 ? 1 : 1 - invented.length / claims.length;
  const reason =
    invented.length === 0
      ? `Each of the ${claims.length} figures and names of the findings is in the evidence.`
      : `Not in the evidence: ${[...new Set(invented)].slice(0, 5).join(", ")}.`;
  const cut = contents.some((content) => content.length >= EVENT_CONTENT_CHARS);
  return { ...partial("decision", "findings.grounded", value, reason), ...(cut ? { advisory: true } : {}) };
}

interface Claim {
  readonly text: string;
  readonly holds: boolean;
}

const NUMBER = /(?<![\w.-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w.-]*\w)/g;
/** Paths, quoted words, versions and identifiers. A plain word is no name, because a finding is a sentence. */
const NAME =
  /`[^`\n]{2,200}`|"[^"\n]{2,200}"|(?<![\w/])[\w.@-]+(?:\/[\w.@-]+)+|\bv?\d+\.\d+\.\d+[\w.-]*|\b[a-z0-9]+(?:_[a-z0-9]+)+\b|\bCVE-\d{4}-\d+\b/gi;

function claimsOf(finding: string, known: ReadonlySet<number>, evidence: string): readonly Claim[] {
  const names = [...finding.matchAll(NAME)].map(([text]) => text.replaceAll(/^[`"]|[`"]$|[.,:]+$/g, ""));
  const rest = finding.replaceAll(NAME, " ");
  const figures = [...rest.matchAll(NUMBER)].map(([text]) => text);
  const own = figures.filter((figure) => isKnown(figure, known)).map(numberOf);
  return [
    ...names.map((text) => ({ text, holds: partsOf(text).every((part) => evidence.includes(part)) })),
    ...figures.map((text) => ({ text, holds: isKnown(text, known) || follows(text, own) })),
  ];
}

/** Returns the parts of a name that was joined from a path of names, such as the suite and the name of a test. */
function partsOf(name: string): readonly string[] {
  return name.toLowerCase().split(" › ");
}

/** Returns whether a figure is in the evidence, as it is, rounded to its digits, or as a share. */
function isKnown(text: string, known: ReadonlySet<number>): boolean {
  const reaches = reachedBy(text);
  return [...known].some((one) => reaches(one) || reaches(one * 100));
}

/** Returns whether a figure is the sum, the difference, the ratio or the percentage of two others, as far as its digits say. */
function follows(text: string, own: readonly number[]): boolean {
  const reaches = reachedBy(text);
  return own.some((a, i) => own.some((b, j) => i !== j && [a + b, a - b, a / b, (100 * a) / b, (100 * (a - b)) / b].some(reaches)));
}

/** Returns whether a value is the figure, as far as the digits of the figure say. */
function reachedBy(text: string): (value: number) => boolean {
  const figure = numberOf(text);
  const digits = text.includes(".") ? text.length - text.indexOf(".") - 1 : 0;
  return (value) => Math.abs(value - figure) <= (digits === 0 && Number.isInteger(value) ? 0 : 0.5 * 10 ** -digits + 1e-9);
}

/** Returns every number of the evidence, and the length of every list in it. */
function figuresOf(contents: readonly string[]): ReadonlySet<number> {
  const known = new Set<number>();
  for (const content of contents) {
    try {
      addFigures(JSON.parse(content), known);
    } catch {
      // Plain text, or JSON that was cut.
      addFigures(content, known);
    }
  }
  return known;
}

function addFigures(value: unknown, known: Set<number>): void {
  if (typeof value === "number") known.add(value);
  if (typeof value === "string") for (const [text] of value.matchAll(NUMBER)) known.add(numberOf(text));
  if (Array.isArray(value)) known.add(value.length);
  if (typeof value !== "object" || value === null) return;
  for (const member of Object.values(value)) addFigures(member, known);
  if (!Array.isArray(value))
    addSums(
      Object.values(value).filter((member) => typeof member === "number"),
      known,
    );
}

/** The figures of one object belong together, such as inserted and deleted lines. So their sums and their shares of a sum are evidence too. */
function addSums(figures: readonly number[], known: Set<number>): void {
  const total = figures.reduce((sum, one) => sum + one, 0);
  const sums = [total, ...figures.flatMap((one, n) => figures.slice(n + 1).map((other) => one + other))];
  for (const sum of sums) known.add(sum);
  for (const one of figures) for (const sum of sums) if (sum > one) known.add(one / sum);
}

const numberOf = (text: string): number => Number(text.replaceAll(",", ""));
