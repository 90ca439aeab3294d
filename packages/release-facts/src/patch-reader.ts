/** One hunk of a patch without context lines. The lines stay in memory and are never part of a result. */
export interface PatchHunk {
  /** The first line in the new file, or in the old file if the hunk only deletes. */
  readonly line: number;
  /** The replaced lines of the old file. If the hunk only inserts, the two lines around it. */
  readonly replaces: readonly [first: number, last: number];
  readonly removedLines: readonly string[];
  readonly addedLines: readonly string[];
}

/** The longest part of a line that is read. A longer line belongs to generated code. */
const LONGEST_LINE = 2000;
const MOST_HUNKS = 500;

/**
 * Parses a patch of `git diff --unified=0 --full-index`. The key of a file is "<old id>..<new id>", because ids need no quoting, and two files with
 * the same ids have the same hunks.
 */
export function parsePatch(patch: string): ReadonlyMap<string, readonly PatchHunk[]> {
  const files = new Map<string, PatchHunk[]>();
  let hunks: PatchHunk[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  let inHunk = false;
  for (const text of patch.split("\n")) {
    // In a hunk, each line of a file has a prefix, so these words at the beginning of a line are always git's.
    if (text.startsWith("diff --git ")) {
      hunks = [];
      inHunk = false;
    } else if (text.startsWith("@@ ")) {
      const [, old, oldLength, now, length] = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text) ?? [];
      removed = [];
      added = [];
      inHunk = now !== undefined && hunks.length < MOST_HUNKS;
      if (inHunk)
        hunks.push({
          line: Number(length === "0" ? old : now),
          replaces: replacedBy(Number(old), oldLength === undefined ? 1 : Number(oldLength)),
          removedLines: removed,
          addedLines: added,
        });
    } else if (!inHunk) {
      const [, ids] = /^index ([0-9a-f]+\.\.[0-9a-f]+)/.exec(text) ?? [];
      if (ids !== undefined) files.set(ids, hunks);
    } else if (text.startsWith("+")) added.push(text.slice(1, LONGEST_LINE));
    else if (text.startsWith("-")) removed.push(text.slice(1, LONGEST_LINE));
  }
  return files;
}

function replacedBy(first: number, count: number): readonly [number, number] {
  return count === 0 ? [Math.max(1, first), first + 1] : [first, first + count - 1];
}
