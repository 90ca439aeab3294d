import type { ReleaseFacts } from "@toolbus/release-facts";
import type { ChangeFinding } from "./change-finding.ts";
import { atAdvisories, atCommits, atDependencies, atPaths, finding, named } from "./evidence.ts";
import { type CommitFacts, isAside, type ProductChange } from "./product-change.ts";

type Step = NonNullable<NonNullable<ReleaseFacts["advisories"]>["dependencies"]>["list"][number];

/**
 * Returns the findings about steps of dependencies that leave or enter the affected versions of a published advisory. `reported` are the findings about
 * security that messages and changelogs gave. A step that one of them names has its finding already.
 */
export function dependencyAdvisoryFindings(change: ProductChange, reported: readonly ChangeFinding[]): readonly ChangeFinding[] {
  const list = (change.facts.advisories?.dependencies?.list ?? []).filter(({ use, manifest }) => use === "runtime" && !isAside(manifest));
  const known = new Set(reported.flatMap(({ evidence }) => evidence.flatMap((place) => ("dependency" in place ? [place.dependency] : []))));
  const fixing = list.filter(({ name, fixed }) => fixed !== undefined && !known.has(name));
  const bringing = list.filter(({ brought }) => brought !== undefined);
  return [
    ...fixedFinding("dependency-advisory", fixing.filter(isProbablyUsed), change),
    ...fixedFinding(
      "dependency-closes",
      // Users of a range could have the later version before, so a higher lowest one closes nothing for them.
      fixing.filter((step) => !isProbablyUsed(step) && !step.lowest),
      change,
    ),
    ...broughtFinding(bringing),
  ];
}

/**
 * Returns true if the product probably uses what was vulnerable. A package of npm and a module of Go mostly do one thing. Go itself, its modules below
 * golang.org/x, crates and packages of Python have many parts, and labels rarely call their steps a fix. But whoever raises the lowest version of a crate or of a Python package to exactly the one with the fix does it for the fix, because users may install that version
 * anyway.
 */
function isProbablyUsed({ manifest, name, firstFixed }: Step): boolean {
  if (/(?:^|\/)package\.json$/.test(manifest)) return true;
  if (GO_ITSELF.has(name)) return false;
  return /(?:^|\/)go\.mod$/.test(manifest) ? !name.startsWith("golang.org/x/") : firstFixed === true;
}

const GO_ITSELF: ReadonlySet<string> = new Set(["stdlib", "toolchain"]);

function fixedFinding(
  rule: "dependency-advisory" | "dependency-closes",
  steps: readonly Step[],
  change: ProductChange,
): readonly ChangeFinding[] {
  if (steps.length === 0) return [];
  const ids = distinct(steps.flatMap(({ fixed }) => (fixed?.list ?? []).map(({ id }) => id)));
  const says = steps.map((step) => `the step of ${stepOf(step)} closes ${vulnerabilities(step.fixed)}`);
  return [
    finding(rule, "medium", `${sentence(says)} (${named(ids, 6)}).`, [
      ...atCommits(movingCommits(steps, change)),
      ...atSteps(steps),
      ...atAdvisories(ids),
    ]),
  ];
}

function broughtFinding(steps: readonly Step[]): readonly ChangeFinding[] {
  if (steps.length === 0) return [];
  const ids = distinct(steps.flatMap(({ brought }) => (brought?.list ?? []).map(({ id }) => id)));
  const says = steps.map(
    (step) =>
      `${step.from === null ? `version ${step.to} of ${step.name}` : `the step of ${stepOf(step)}`} brings ${vulnerabilities(step.brought)}`,
  );
  return [finding("dependency-vulnerable", "medium", `${sentence(says)} (${named(ids, 6)}).`, [...atSteps(steps), ...atAdvisories(ids)])];
}

/** Returns the commits whose subject has the name of a dependency and its new version, such as "Bump golang to 1.25.6". */
function movingCommits(steps: readonly Step[], { facts }: ProductChange): readonly CommitFacts[] {
  const wanted = steps.map(({ name, to }) => ({ word: wordOf(name), version: to.replace(/^v/, "") }));
  return facts.commits.list.filter((commit) => {
    const subject = commit.subject.toLowerCase();
    return wanted.some(({ word, version }) => subject.includes(word) && namesVersion(subject, version));
  });
}

/** Returns whether a text has this version, and not only as a part of a longer one. */
function namesVersion(text: string, version: string): boolean {
  for (let at = text.indexOf(version); version !== "" && at >= 0; at = text.indexOf(version, at + 1))
    if (!/[\d.]$/.test(text.slice(0, at)) && !/^\d/.test(text.slice(at + version.length))) return true;
  return false;
}

/** The part of a dependency's name that a message has. Messages call Go's own packages by the name of the language. */
function wordOf(name: string): string {
  if (GO_ITSELF.has(name)) return "go";
  const own =
    name
      .replace(/\/v\d{1,4}$/, "")
      .split("/")
      .at(-1) ?? name;
  return own.toLowerCase();
}

function atSteps(steps: readonly Step[]) {
  return [...atPaths(steps.map(({ manifest }) => manifest)), ...atDependencies(steps)];
}

function stepOf({ name, from, to, lowest }: Step): string {
  return `${name} from ${lowest ? "at least " : ""}${from} to ${to}`;
}

function vulnerabilities(found: Step["fixed"]): string {
  const count = (found?.list.length ?? 0) + (found?.omitted ?? 0);
  return count === 1 ? "1 known vulnerability" : `${count} known vulnerabilities`;
}

function sentence(parts: readonly string[]): string {
  const text = named(parts, 2);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function distinct(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)];
}
