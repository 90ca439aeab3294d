import { type ChangelogItem, changelogItems, isChangelog } from "./changelog-items.ts";
import { compare, line } from "./clean-text.ts";
import type { KindedFile } from "./file-facts.ts";
import type { Git } from "./git-command.ts";
import type { ChangelogFacts, CommitFacts, ReleaseFacts } from "./release-facts.ts";
import { repeatedSubjects } from "./repeated-subjects.ts";
import type { ReleaseRange } from "./release-range.ts";
import { firstVersionIn } from "./version-step.ts";

const MOST_FILES = 3;
const MOST_ENTRIES = 60;

/** Reads what the changelogs of a release say, without their text, and finds the commits that the entries are about. */
export async function readChangelog(
  git: Git,
  { base, head }: ReleaseRange,
  version: ReleaseFacts["version"],
  files: readonly KindedFile[],
  texts: ReadonlyMap<string, string>,
  commits: readonly CommitFacts[],
  directory: string | null,
): Promise<ChangelogFacts> {
  const list: ChangelogFacts["list"] = [];
  const top = directory === null ? "" : `${directory}/`;
  const depth = (path: string) => path.split("/").length;
  const found = files
    .filter(({ path, status }) => status !== "D" && path.startsWith(top) && isChangelog(path))
    .toSorted((a, b) => depth(a.path) - depth(b.path) || compare(a.path, b.path))
    .slice(0, MOST_FILES);
  const repeatedIn = repeatedSubjects(commits.filter(touchesProduct));
  for (const { path, oldId, newId } of found) {
    const after = texts.get(newId);
    if (after === undefined) continue;
    const items = changelogItems(
      texts.get(oldId) ?? "",
      after,
      version.from === null ? null : firstVersionIn(version.from),
      version.to === null ? null : firstVersionIn(version.to),
    );
    if (items.length === 0) continue;
    const adders = await addersOf(git, base.id, head.id, path);
    for (const item of items) {
      const about = commitsOf(item, commits, repeatedIn, adders);
      // A feature without a commit is of no use to anybody, and changelogs have many of them.
      if (about.length === 0 && item.marks.every((mark) => mark === "added")) continue;
      list.push({
        file: line(path, 400),
        line: item.line,
        says: [...item.marks],
        ...(item.advisories.length > 0 ? { advisories: [...item.advisories] } : {}),
        ...(about.length > 0 ? { commits: about.slice(0, 10) } : {}),
      });
    }
  }
  return { omitted: Math.max(0, list.length - MOST_ENTRIES), list: list.slice(0, MOST_ENTRIES) };
}

/** Subjects of commits that write the changelog for changes of others. */
const WRITES_ONLY =
  /^\W*(?:chore(?:\([^)]{0,40}\))?!?:\s+)?(?:(?:prepare|cut|bump|update|set|start|clean up)\s+(?:the\s+)?)?(?:releas(?:e|ing)|version|changelog|docs?|history|v?\d+\.\d+)\b|\bbump (?:the )?version\b/i;

/**
 * Returns the commits that an entry is about: those that it names, or else those whose subject it repeats, or else the one that added it. Only commits that
 * touch the product count.
 */
function commitsOf(
  item: ChangelogItem,
  commits: readonly CommitFacts[],
  repeatedIn: (words: string) => readonly CommitFacts[],
  adders: ReadonlyMap<string, string>,
): readonly string[] {
  const named = commits.filter(
    (commit) =>
      item.hashes.some((hash) => commit.hash.startsWith(hash.slice(0, 12))) || item.issues.some((issue) => isAbout(commit, issue)),
  );
  const merged = named.flatMap((commit) => (commit.parents > 1 ? mergedBy(commit, commits) : [commit]));
  const touching = merged.filter(touchesProduct);
  if (touching.length > 0) return [...new Set(touching.map(({ hash }) => hash))];
  const repeated = repeatedIn(item.words);
  if (repeated.length > 0) return repeated.map(({ hash }) => hash);
  const adder = commits.find(({ hash }) => hash === adders.get(item.firstLine.trim()));
  return adder && touchesProduct(adder) && !WRITES_ONLY.test(adder.subject) ? [adder.hash] : [];
}

function isAbout({ subject, fixes }: CommitFacts, issue: string): boolean {
  return new RegExp(`${issue}(?!\\d)`).test(subject) || (fixes ?? []).includes(issue);
}

/** Returns the commits of a merge. In the log, they follow it. */
function mergedBy(merge: CommitFacts, commits: readonly CommitFacts[]): readonly CommitFacts[] {
  const after = commits.slice(commits.indexOf(merge) + 1);
  const next = after.findIndex(({ parents }) => parents > 1);
  return next === -1 ? after : after.slice(0, next);
}

function touchesProduct({ touches }: CommitFacts): boolean {
  return touches?.some((kind) => kind === "code" || kind === "manifest" || kind === "migration" || kind === "config") ?? false;
}

/** Returns the commit that added each line of a changelog, by the trimmed line. The lines stay in memory. */
async function addersOf(git: Git, base: string, head: string, path: string): Promise<ReadonlyMap<string, string>> {
  const output = await git.ask([
    "log",
    "--max-count=500",
    "--no-color",
    "--no-notes",
    "--no-merges",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--unified=0",
    "--patch",
    "--format=tformat:%x01%H",
    `${base}..${head}`,
    "--",
    path,
  ]);
  const adders = new Map<string, string>();
  let hash = "";
  for (const text of (output ?? "").split("\n")) {
    if (text.startsWith("\u0001")) hash = text.slice(1, 13);
    // The newest commit comes first, and the oldest one that added a line is the one to find.
    else if (text.startsWith("+") && !text.startsWith("+++ ")) adders.set(text.slice(1, 601).trim(), hash);
  }
  return adders;
}
