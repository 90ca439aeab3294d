import { counted, type Severity } from "@toolbus/contracts";
import { assessRelease } from "../assess-release.ts";
import { cleanText, quoted } from "../clean-text.ts";
import { type Sign, graver, gravity } from "../finding.ts";
import { metricFindings } from "../metric-findings.ts";
import type { ReleaseFacts } from "../release-facts.ts";
import { testFindings } from "../test-findings.ts";
import { alertInWords, type AlertFacts, RELEASE_LABELS } from "./alert-facts.ts";
import { serviceFindings } from "./service-findings.ts";

/** A release that the alert names, with its facts or the reason why it has none. */
export interface NamedRelease {
  readonly releaseId: string;
  readonly facts: ReleaseFacts | null;
  /** The reason why the release could not be read. Null if it was read. */
  readonly unread: string | null;
}

/** The result of an alert's investigation. */
export interface Conclusion {
  /** The cause. Null if the alert and the summaries do not point to one. */
  readonly cause: string | null;
  readonly severity: Severity;
  /** The alert, the signs that point to the release, the other measurements and the unknowns. Each is one line. */
  readonly findings: readonly string[];
  readonly unknowns: readonly string[];
  readonly summary: string;
}

/** The severity of an alert whose label has no word that the rules know. */
export const UNGRADED: Severity = "medium";

// The maximum number of findings. With this limit, all lines together fit into a model's reply of 4096 tokens, whatever a summary contains.
const MAX_FINDINGS = 32;
const LINE_CHARS = 360;
const CAUSE_CHARS = 1000;

/**
 * Returns the cause, severity and findings of an alert, from the releases in its labels. A release is the cause if one of its measurements or changes
 * points to the alert. It is never the cause if the alert began before the release was made. Every statement quotes the alert or a summary, and an
 * unreported fact is unknown. Text in the alert or a summary can raise the severity but never lower it. The function is pure.
 */
export function concludeAlert(alert: AlertFacts, releases: readonly NamedRelease[]): Conclusion {
  const looked = releases.map((release) => lookedAt(alert, release));
  const suspect = looked.filter(({ suspected }) => suspected).toSorted((a, b) => gravestOf(b.signals) - gravestOf(a.signals))[0];
  const label = alert.severity?.means ?? UNGRADED;
  const severity = suspect ? suspect.signals.reduce((worst, signal) => graver(worst, signal.severity), label) : label;
  const cause = suspect ? causeText(suspect) : null;
  const unknowns = [...unknownsOf(alert), ...looked.flatMap(({ unknowns: more }) => more)];
  const findings = [
    ...alertLines(alert),
    ...looked.flatMap(({ lines }) => lines),
    ...unknowns.map((unknown) => `Not known: ${unknown}`),
  ].map((line) => cleanText(line, LINE_CHARS));
  const found = cause ?? "no cause was found.";
  return { cause, severity, findings: findings.slice(0, MAX_FINDINGS), unknowns, summary: `${alertInWords(alert)}: ${found}` };
}

interface Looked {
  readonly releaseId: string;
  readonly signals: readonly Sign[];
  readonly suspected: boolean;
  readonly lines: readonly string[];
  readonly unknowns: readonly string[];
}

function lookedAt(alert: AlertFacts, { releaseId, facts, unread }: NamedRelease): Looked {
  const nothing = { releaseId, signals: [], suspected: false, lines: [] };
  if (!facts) return { ...nothing, unknowns: unread === null ? [] : [unread] };
  const { signals, leads } = serviceFindings(alert.service, facts);
  const pointing = [
    ...testFindings(facts).findings.filter(({ severity }) => severity === "high"),
    ...metricFindings(facts).findings.filter(({ severity }) => severity !== "low"),
    ...signals,
  ].toSorted((a, b) => gravity(b.severity) - gravity(a.severity));
  const { findings, unknowns } = assessRelease(facts);
  const reported = new Set(pointing.map(({ text }) => text));
  const rest = [...findings.filter(({ text }) => !reported.has(text)), ...leads];
  const earlier = beganBefore(alert, facts, releaseId);
  const name = quoted(releaseId, 200);
  return {
    releaseId,
    signals: pointing,
    suspected: pointing.length > 0 && earlier === null,
    lines: [
      ...(earlier === null ? [] : [earlier]),
      ...[...pointing, ...rest].map(({ severity, text }) => `${severity}: Release ${name}: ${text}`),
    ],
    unknowns: unknowns.map((unknown) => `Release ${name}: ${unknown}`),
  };
}

/** Returns a sentence that excludes the release as the cause if the alert began before the release was made, else null. */
function beganBefore({ startsAt }: AlertFacts, { madeAt }: ReleaseFacts, releaseId: string): string | null {
  const began = Date.parse(startsAt ?? "");
  if (madeAt === null || Number.isNaN(began) || began >= madeAt) return null;
  const times = `it began at ${new Date(began).toISOString()}, the release was made at ${new Date(madeAt).toISOString()}`;
  return `The alert does not come from release ${quoted(releaseId, 200)}: ${times}.`;
}

function causeText({ releaseId, signals }: Looked): string {
  const reported = signals.slice(0, 3).map(({ text }) => text);
  const more = signals.length > reported.length ? ` And ${counted(signals.length - reported.length, "more sign")}.` : "";
  return cleanText(
    `Release ${quoted(releaseId, 200)}, which the alert names, is the likely cause: ${reported.join(" ")}${more}`,
    CAUSE_CHARS,
  );
}

function alertLines(alert: AlertFacts): readonly string[] {
  const { status, startsAt, severity, says } = alert;
  const state = [
    ...(status === null ? [] : [status]),
    ...(startsAt === null ? [] : [`since ${quoted(startsAt, 64)}`]),
    ...(severity === null ? [] : [`labelled ${quoted(severity.label, 64)}`]),
  ];
  return [
    `${alertInWords(alert)}${state.length === 0 ? "" : `: ${state.join(", ")}`}.`,
    ...says.map((words) => `The alert says: ${quoted(words, 500)}.`),
  ];
}

function unknownsOf({ releases, severity }: AlertFacts): readonly string[] {
  return [
    ...(releases.length > 0 ? [] : [`The alert names no release: it has none of the labels ${RELEASE_LABELS.join(", ")}.`]),
    ...(severity?.means ? [] : [`Severity of the alert: its label has no known word, so it counts as ${UNGRADED}.`]),
  ];
}

function gravestOf(signals: readonly Sign[]): number {
  return Math.max(-1, ...signals.map(({ severity }) => gravity(severity)));
}
