import { describeProblems } from "@toolbus/contracts";
import { parseReleaseFacts, type ReleaseFacts } from "@toolbus/release-facts";
import type { Project, Severity } from "../label.ts";
import { readFactsText, readLabels, readProjects } from "../releases-folder.ts";
import { verdictOfNow, verdictWithoutAdvisories } from "./rules-of-now.ts";
import { verdictOverSummary } from "./rules-over-summaries.ts";
import { verdictsBefore } from "./rules-before.ts";
import { commonestClass, type Score, scoreReleases } from "./score-releases.ts";
import type { ProjectLabel, Verdict } from "./verdict.ts";

export type Split = Project["split"];
export const splits: readonly Split[] = ["tuning", "held-out"];

/** The scores of the rules on one part of the labelled releases. `before` are the rules over summaries as they were before the rules over facts. */
export interface Comparison {
  readonly split: Split;
  readonly before: Score;
  readonly summaries: Score;
  /** The rules of today without a list of advisories. */
  readonly withoutAdvisories: Score;
  readonly now: Score;
  /** The score of somebody who always says the commonest class of the tuning part, without a finding. */
  readonly commonest: { readonly severity: Severity; readonly score: Score };
}

/** The labelled releases of one part with the verdicts of each set of rules. */
export interface JudgedReleases {
  readonly labels: readonly ProjectLabel[];
  readonly before: readonly Verdict[];
  readonly summaries: readonly Verdict[];
  readonly withoutAdvisories: readonly Verdict[];
  readonly now: readonly Verdict[];
}

/** Scores each set of rules on one part. */
export function compareRules(split: Split): Comparison {
  const { labels, before, summaries, withoutAdvisories, now } = judgeReleases(split);
  const severity = commonestClass(labelsOf("tuning"));
  const always = labels.map(({ project, label }): Verdict => ({ project, release: label.release, severity, findings: [] }));
  return {
    split,
    before: scoreReleases(before, labels),
    summaries: scoreReleases(summaries, labels),
    withoutAdvisories: scoreReleases(withoutAdvisories, labels),
    now: scoreReleases(now, labels),
    commonest: { severity, score: scoreReleases(always, labels) },
  };
}

/** What is known of each part. Neither the files nor the rules change while a process runs, and one part takes seconds. */
const judged = new Map<Split, JudgedReleases>();
const labelsOfParts = new Map<Split, readonly ProjectLabel[]>();

/** Asks each set of rules about every release of one part, once in a process. */
export function judgeReleases(split: Split): JudgedReleases {
  const known = judged.get(split) ?? judgedNow(split);
  judged.set(split, known);
  return known;
}

function judgedNow(split: Split): JudgedReleases {
  const labels = labelsOf(split);
  const facts = labels.map(({ project, label }) => ({ release: label.release, facts: factsOf(project, label.release) }));
  return {
    labels,
    before: verdictsBefore(labels),
    summaries: facts.map((each) => verdictOverSummary(each.facts, each.release)),
    withoutAdvisories: facts.map((each) => verdictWithoutAdvisories(each.facts, each.release)),
    now: facts.map((each) => verdictOfNow(each.facts, each.release)),
  };
}

function labelsOf(split: Split): readonly ProjectLabel[] {
  const known = labelsOfParts.get(split) ?? readLabelsOf(split);
  labelsOfParts.set(split, known);
  return known;
}

function readLabelsOf(split: Split): readonly ProjectLabel[] {
  const projects = readProjects().projects.filter((project) => project.split === split);
  return projects.flatMap(({ project }) => readLabels(project).labels.map((label) => ({ project, label })));
}

function factsOf(project: string, release: string): ReleaseFacts {
  const parsed = parseReleaseFacts(JSON.parse(readFactsText(project, release)));
  if (!parsed.ok) throw new Error(`The facts of ${project} ${release}: ${describeProblems(parsed.problems)}`);
  return parsed.value;
}
