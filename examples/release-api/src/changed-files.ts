/** One changed file. `renamed_from` is its earlier path. Lines of a binary file are not counted. */
export interface ChangedFile {
  readonly path: string;
  readonly renamed_from?: string;
  readonly insertions: number;
  readonly deletions: number;
  readonly binary?: true;
}

/** The totals of all changed files, and the files with the most changed lines. */
export interface FilesChanged {
  readonly changed: number;
  readonly insertions: number;
  readonly deletions: number;
  readonly binary: number;
  readonly top: readonly ChangedFile[];
  /** How many files are not in `top`. */
  readonly omitted: number;
}

/** A part of the source tree with its changed files and lines. It is at most two folders deep, and "." is the root. */
export interface Area {
  readonly area: string;
  readonly files: number;
  readonly lines: number;
}

const TOP_FILES = 30;

/** Parses the output of `git diff --numstat -z`, whose paths may contain anything except a zero byte. */
export function parseNumstat(output: string): readonly ChangedFile[] {
  const files: ChangedFile[] = [];
  const fields = output.split("\0").values();
  for (const field of fields) {
    const [, added, deleted, path] = /^(\d+|-)\t(\d+|-)\t(.*)$/su.exec(field) ?? [];
    if (added === undefined || deleted === undefined) continue;
    const lines = { insertions: countOf(added), deletions: countOf(deleted), ...(added === "-" ? { binary: true as const } : {}) };
    if (path) {
      files.push({ path, ...lines });
    } else {
      // For a rename, the path is empty here and the two names are in the next two fields.
      const renamed_from = String(fields.next().value);
      files.push({ path: String(fields.next().value), renamed_from, ...lines });
    }
  }
  return files;
}

/** Returns the totals and the files with the most changed lines, most first. */
export function totalsOf(files: readonly ChangedFile[]): FilesChanged {
  const top = files.toSorted((a, b) => linesOf(b) - linesOf(a) || compare(a.path, b.path)).slice(0, TOP_FILES);
  return {
    changed: files.length,
    insertions: files.reduce((sum, file) => sum + file.insertions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    binary: files.filter((file) => file.binary).length,
    top,
    omitted: files.length - top.length,
  };
}

/** Returns the areas of the files, most changed lines first. */
export function areasOf(files: readonly ChangedFile[]): readonly Area[] {
  const areas = new Map<string, { files: number; lines: number }>();
  for (const file of files) {
    const name = file.path.split("/").slice(0, -1).slice(0, 2).join("/") || ".";
    const area = areas.get(name) ?? { files: 0, lines: 0 };
    areas.set(name, { files: area.files + 1, lines: area.lines + linesOf(file) });
  }
  return [...areas].map(([area, counts]) => ({ area, ...counts })).sort((a, b) => b.lines - a.lines || compare(a.area, b.area));
}

function countOf(field: string): number {
  return field === "-" ? 0 : Number(field);
}

function linesOf(file: ChangedFile): number {
  return file.insertions + file.deletions;
}

// localeCompare would sort differently on different machines.
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
