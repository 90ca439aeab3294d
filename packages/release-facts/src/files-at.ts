import type { Git } from "./git-command.ts";

/** The trees that were listed through a runner, by their commits. A runner lives as long as one reading of facts. */
const listed = new WeakMap<Git, Map<string, Promise<ReadonlyMap<string, string>>>>();

/**
 * Returns the ids of the contents of all files at a commit, by their paths and in git's order. Many parts of the facts look for files with known names, so
 * git lists each tree once instead of answering about each name.
 */
export function filesAt(git: Git, commit: string): Promise<ReadonlyMap<string, string>> {
  const trees = listed.get(git) ?? new Map<string, Promise<ReadonlyMap<string, string>>>();
  listed.set(git, trees);
  const files = trees.get(commit) ?? listFiles(git, commit);
  trees.set(commit, files);
  return files;
}

async function listFiles(git: Git, commit: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const entry of (await git.text(["ls-tree", "-r", "-z", "--full-tree", commit])).split("\0")) {
    const [, id, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    if (id !== undefined && path !== undefined) files.set(path, id);
  }
  return files;
}
