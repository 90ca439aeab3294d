import type { ReleaseFacts } from "@toolbus/release-facts";
import type { ChangeFinding } from "./change-finding.ts";
import { changeThresholds } from "./change-thresholds.ts";
import { atDependencies, atPaths, finding, named } from "./evidence.ts";
import type { DependencyFacts, ProductChange } from "./product-change.ts";

/** Returns the findings about runtime dependencies that moved. */
export function dependencyFindings(change: ProductChange): readonly ChangeFinding[] {
  const { fileCount, facts } = change;
  const dependencies = change.dependencies.filter((dependency) => !isOwnStep(dependency, facts));
  // Somebody who moves everything at once did not choose the single step, and the whole move is what needs a look.
  const isBulk = dependencies.length >= changeThresholds.bulkSteps.value;
  // One text of all subjects, because a hostile repository may have thousands of commits and of dependencies.
  const subjects = isBulk
    ? facts.commits.list
        .map(({ subject }) => subject.toLowerCase())
        .join("\n")
        .slice(0, MOST_CHARS)
    : "";
  const majors = dependencies
    .slice(0, MOST_DEPENDENCIES)
    .filter((dependency) => isMajor(dependency, dependencies) && (!isBulk || isNamedIn(subjects, dependency)));
  const found: ChangeFinding[] = [];
  if (majors.length > 0) {
    const text = `${dependenciesOf(majors)} to another major version: ${named(majors.map(stepOf))}.`;
    found.push(finding("dependency-major", "medium", text, atDependencies(majors)));
  }
  const isMajorStep = new Set(majors);
  const others = dependencies.filter((dependency) => !isMajorStep.has(dependency));
  if (others.length > 0 && majors.length === 0 && fileCount <= changeThresholds.quietCodeFiles.value) {
    const severity = dependencies.length >= changeThresholds.runtimeSteps.value ? "medium" : "low";
    const manifests = atPaths(others.map(({ manifest }) => manifest)).slice(0, 3);
    const text = `${dependenciesOf(others)}: ${named(others.map(stepOf))}.`;
    found.push(finding("dependency-steps", severity, text, [...atDependencies(others).slice(0, 7), ...manifests]));
  }
  return found;
}

/** Returns true if a dependency moves to another major version, up or down. A Go module does that under another path. */
export function isMajor({ name, from, to, step }: DependencyFacts, all: readonly DependencyFacts[]): boolean {
  if (from !== null && to !== null) return step === "major" || (step === "back" && majorIn(from) !== majorIn(to));
  if (to === null) return false;
  const [, path, major] = /^(.{1,200}?)\/v(\d{1,4})$/.exec(name) ?? [];
  return path !== undefined && major !== undefined && all.some((other) => other.to === null && withoutMajor(other.name) === path);
}

/** The most dependencies that are looked at one by one, and the most characters of subjects that are searched for each. */
const MOST_DEPENDENCIES = 500;
const MOST_CHARS = 200_000;

/** Returns whether one of the subjects, in lower case, has the name of a dependency. */
function isNamedIn(subjects: string, { name }: DependencyFacts): boolean {
  const own = withoutMajor(name).split("/").at(-1) ?? name;
  return own.length >= 2 && subjects.includes(own.toLowerCase());
}

/** Returns true for the step of a package of the same repository, which is released together with this one. Older facts show it only in a patch, by its name. */
function isOwnStep({ name, from, to, step, sibling }: DependencyFacts, { package: own, version, dependencies }: ReleaseFacts): boolean {
  if (sibling) return true;
  // A module of tests in a Go repository is no package of its own, but it has the path and the versions of those that are.
  const isOfRelease = from !== null && to !== null && bare(from) === version.from && bare(to) === version.to;
  if (isOfRelease && dependencies.list.some((other) => other.sibling && ownerOf(other.name) === ownerOf(name))) return true;
  if (step !== "patch" || own === null) return false;
  // @shop/cart and @shop/list are siblings, and so are openssl and openssl-sys.
  const [scope = ""] = own.name.split("/");
  return name.startsWith(scope.startsWith("@") ? `${scope}/` : `${own.name}-`);
}

function bare(version: string): string {
  return version.replace(/^v/, "");
}

/** Returns the first two segments of a module's path, such as "go.etcd.io/etcd". */
function ownerOf(name: string): string {
  return name.split("/").slice(0, 2).join("/");
}

function withoutMajor(name: string): string {
  return name.replace(/\/v\d{1,4}$/, "");
}

function majorIn(requirement: string): string {
  return /\d+/.exec(requirement)?.[0] ?? "";
}

function dependenciesOf(dependencies: readonly unknown[]): string {
  return dependencies.length === 1 ? "1 runtime dependency moves" : `${dependencies.length} runtime dependencies move`;
}

function stepOf({ name, from, to }: DependencyFacts): string {
  if (from === null) return `${name} is new`;
  return to === null ? `${name} is gone` : `${name} from ${from} to ${to}`;
}
