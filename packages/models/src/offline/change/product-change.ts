import type { ReleaseFacts } from "@toolbus/release-facts";

export type CommitFacts = ReleaseFacts["commits"]["list"][number];
export type FileFacts = ReleaseFacts["files"]["list"][number];
export type DependencyFacts = ReleaseFacts["dependencies"]["list"][number];

/** What a release changes in its product. Tests, docs, tools, generated and vendored files and lockfiles are no part of the product. */
export interface ProductChange {
  readonly facts: ReleaseFacts;
  /** The listed files of product code. */
  readonly files: readonly FileFacts[];
  /** All changed files of product code, also those that the facts do not list. */
  readonly fileCount: number;
  /** Commits to product code that are not about tests, docs, the build or the style of the code. */
  readonly commits: readonly CommitFacts[];
  /** Dependencies that the product needs when it runs. */
  readonly dependencies: readonly DependencyFacts[];
  /** Inserted lines of product code. */
  readonly insertedLines: number;
  /** Inserted plus deleted lines of product code without comments, imports and version numbers. */
  readonly changedLines: number;
  /** True if the release is a candidate or another version before the final one. */
  readonly isCandidate: boolean;
}

/** Returns the part of the facts that is about the product. In a monorepo, the facts only have files and commits of one package. */
export function productChange(given: ReleaseFacts): ProductChange {
  const facts = withoutSettled(given);
  const code = facts.files.list.filter(({ kind }) => kind === "code");
  const files = code.filter(isProduct);
  const tools = code.filter((file) => !isProduct(file));
  const total = facts.files.byKind.find(({ kind }) => kind === "code") ?? { files: 0, added: 0, deleted: 0 };
  const insertedLines = Math.max(0, total.added - sum(tools, ({ added }) => added));
  const changed = total.added + total.deleted - sum(tools, ({ added, deleted }) => added + deleted) - sum(files, trivialLines);
  return {
    facts,
    files,
    fileCount: Math.max(0, total.files - tools.length),
    commits: commitsToProduct(facts, changed),
    dependencies: distinct(facts.dependencies.list.filter(({ use, manifest }) => use === "runtime" && !isAside(manifest))),
    insertedLines,
    changedLines: Math.max(0, changed),
    isCandidate: /\d[-._]?(?:a|b|rc|alpha|beta|pre|dev|canary|next|preview|snapshot)[-._]?\d*\b/i.test(
      facts.version.to ?? facts.head.ref.slice(-60),
    ),
  };
}

/**
 * Returns the commits to product code. Some projects publish a release as one commit, such as "release: 3.4.3", which then is the only one that can have
 * changed the product.
 */
function commitsToProduct({ commits: { list } }: ReleaseFacts, changedLines: number): readonly CommitFacts[] {
  const touching = list.filter((commit) => touches(commit, "code", "migration"));
  const own = touching.filter((commit) => !ASIDE.has(typeOf(commit)) && !isRelease(commit) && !isStep(commit));
  const [only, ...more] = touching;
  const isWhole = only !== undefined && more.length === 0 && changedLines > 0 && /\brelease\b|\d\.\d/i.test(only.subject);
  return own.length === 0 && isWhole ? touching : own;
}

/** Takes away mentions of advisories that the earlier release had no part in any more: a later word about a fix is no fix. */
function withoutSettled(facts: ReleaseFacts): ReleaseFacts {
  const settled = new Set(facts.advisories?.settled);
  if (settled.size === 0) return facts;
  const open = (ids: readonly string[]): string[] => ids.filter((id) => !settled.has(id.toUpperCase()));
  const list = facts.commits.list.map(({ advisories, ...commit }) => {
    const left = open(advisories ?? []);
    return left.length > 0 ? { ...commit, advisories: left } : commit;
  });
  const entries = (facts.changelog?.list ?? []).filter(
    ({ says, advisories = [] }) => advisories.length === 0 || open(advisories).length > 0 || says.some((mark) => mark !== "security"),
  );
  return {
    ...facts,
    commits: { ...facts.commits, list },
    ...(facts.changelog === undefined ? {} : { changelog: { ...facts.changelog, list: entries } }),
  };
}

/** Returns true if a commit touches files of one of these kinds. */
export function touches(commit: CommitFacts, ...kinds: readonly string[]): boolean {
  return commit.touches?.some((kind) => kinds.includes(kind)) ?? false;
}

/** Returns true if the commit only makes the release, such as "Release 2.0.6", "Bump version to 2.4.5", "Prep for 2.1.1" or "chore(release): v1.6.0". */
export function isRelease({ subject }: Pick<CommitFacts, "subject">): boolean {
  return /^(?:(?:prepare|cut|bump|update|set|start)?\s*(?:the\s+)?(?:releas(?:es?|ed|e?ing)|versions?)\b|version packages|(?:(?:bump|update|prep(?:are)?) (?:(?:to|for) )?)?v?\d+\.\d+)|\bbump (?:the )?version\b/i.test(
    textOf(subject),
  );
}

/** The types of commits that do not change what the product does. */
export const ASIDE: ReadonlySet<string> = new Set(
  "bench benchmark benchmarks build changelog chore ci doc docs example examples format lint manual prettier readme refactor release style test tests tooling types typo version".split(
    " ",
  ),
);

/** Returns the type of a commit in lower case: that of the convention, or any single word before a colon or in brackets. Empty if it has none. */
export function typeOf({ type, subject }: Pick<CommitFacts, "type" | "subject">): string {
  if (type !== undefined) return type.toLowerCase();
  // Brackets with more than a word say where a commit comes from, such as "[Backport 4.x] fix: a crash".
  const [, bracketed, word] =
    /^\s*(?:\[[^\]]{0,20}[ .\d][^\]]{0,20}\]\s*)?(?:\[([a-z]{2,20})\]|([a-z]{2,20})(?:\([^)]{0,80}\))?!?:)\s/i.exec(
      subject.slice(0, 200),
    ) ?? [];
  return (bracketed ?? word ?? "").toLowerCase();
}

/** Returns a subject without its type, marks in brackets and pictures: "Add x" for "feat(api): Add x" and for "[v4] Add x". */
export function textOf(subject: string): string {
  return subject
    .slice(0, 200)
    .replace(/^[^\p{L}[`"']+/u, "")
    .replace(/^(?:\[[^\]]{1,30}\]\s*){1,3}/, "")
    .replace(/^[\w./|,-]{1,40}(?:\([^)]{0,80}\))?!?:\s+/, "");
}

/** Returns true if the commit only moves dependencies, such as "fix(deps): update all". */
function isStep({ subject }: CommitFacts): boolean {
  return /^\w{2,20}\(deps[\w-]{0,10}\)!?:/i.test(subject);
}

// Several manifests of one release often have the same step.
function distinct(dependencies: readonly DependencyFacts[]): readonly DependencyFacts[] {
  return [...new Map(dependencies.map((each) => [`${each.name} ${each.from ?? ""} ${each.to ?? ""}`, each])).values()];
}

// Scripts for the shell are tools of the build almost everywhere, and facts cannot show the exception. The folder "dist" has what the build made.
const NO_PRODUCT = /\.(?:sh|bash|ps1)$|(?:^|\/)dist\/|(?:^|[/_-])(?:tests?|tap|bench(?:es|marks?)?|fuzz(?:ing|er)?|examples?)\//i;

function isProduct({ path }: FileFacts): boolean {
  return !NO_PRODUCT.test(path);
}

/** Returns true for a manifest of tests, docs or tools. */
export function isAside(manifest: string): boolean {
  return NO_PRODUCT.test(manifest) || /(?:^|\/)(?:docs?|ci|tools|scripts|website)\/|(?:dev|test|docs?|lint)[\w-]*\.txt$/i.test(manifest);
}

const TRIVIAL: ReadonlySet<string> = new Set(["comment", "import", "version"]);

function trivialLines({ hunks }: FileFacts): number {
  return sum(
    (hunks ?? []).filter(({ kind }) => TRIVIAL.has(kind)),
    ({ added, deleted }) => added + deleted,
  );
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
