import type { Git } from "./git-command.ts";

/** One changed file, as git compares the two trees. The ids are those of the contents. A missing content has an empty id. */
export interface ChangedFile {
  readonly path: string;
  readonly from: string | null;
  readonly status: "A" | "M" | "D" | "R" | "T";
  readonly oldId: string;
  readonly newId: string;
  readonly added: number;
  readonly deleted: number;
  readonly binary: boolean;
}

/** Flags that make the output of `git diff` independent of the repository's settings and attributes. */
export const DIFF_FLAGS = [
  "--find-renames=50%",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-relative",
  "--ignore-submodules=none",
  "--submodule=short",
  "--indent-heuristic",
];

/** Returns every changed file of a directory, or of the whole tree if the directory is null. */
export async function changedFiles(git: Git, base: string, head: string, directory: string | null): Promise<readonly ChangedFile[]> {
  const range = [base, head, "--", ...(directory === null ? [] : [directory])];
  const output = await git.text(["diff", "--raw", "--numstat", "-z", "--no-abbrev", ...DIFF_FLAGS, ...range]);
  return parseChanges(output);
}

type RawFile = Omit<ChangedFile, "added" | "deleted" | "binary">;
type Lines = Pick<ChangedFile, "added" | "deleted" | "binary">;

/**
 * Parses `git diff --raw --numstat -z`, which has a record of the first form and later one of the second form for each file. Paths may contain anything
 * except a zero byte, so a path is never read as the beginning of a record.
 */
function parseChanges(output: string): readonly ChangedFile[] {
  const files: RawFile[] = [];
  const lines = new Map<string, Lines>();
  const fields = output.split("\0").values();
  for (const field of fields) {
    const [, oldId, newId, letter] = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/.exec(field) ?? [];
    const [, added, deleted, path] = /^(\d+|-)\t(\d+|-)\t(.*)$/su.exec(field) ?? [];
    if (oldId !== undefined && newId !== undefined && letter !== undefined) {
      const first = String(fields.next().value);
      const renamed = letter === "R" || letter === "C";
      files.push({
        path: renamed ? String(fields.next().value) : first,
        from: renamed ? first : null,
        status: statusOf(letter),
        oldId: idOf(oldId),
        newId: idOf(newId),
      });
    } else if (added !== undefined && deleted !== undefined) {
      // For a rename, the path is empty here and the two names are in the next two fields.
      if (!path) fields.next();
      const name = path || String(fields.next().value);
      lines.set(name, { added: added === "-" ? 0 : Number(added), deleted: deleted === "-" ? 0 : Number(deleted), binary: added === "-" });
    }
  }
  return files.map((file) => ({ ...file, ...(lines.get(file.path) ?? { added: 0, deleted: 0, binary: false }) }));
}

function statusOf(letter: string): ChangedFile["status"] {
  if (letter === "C") return "A";
  return letter === "A" || letter === "D" || letter === "R" || letter === "T" ? letter : "M";
}

function idOf(id: string): string {
  return /^0+$/.test(id) ? "" : id;
}
