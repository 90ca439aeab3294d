import type { ChangedFile } from "./changed-files.ts";
import { compare, line } from "./clean-text.ts";
import { kindOfHunk } from "./hunk-kind.ts";
import type { PatchHunk } from "./patch-reader.ts";
import { type FileFacts, type FileKind, fileKinds, type HunkFacts, type ReleaseFacts } from "./release-facts.ts";

/** A changed file with its kind. */
export type KindedFile = ChangedFile & { readonly kind: FileKind };

/** Returns the most important files, most important first: by kind, then by changed lines. */
export function mostImportant(files: readonly KindedFile[], most: number): readonly KindedFile[] {
  return files.toSorted(byImportance).slice(0, most);
}

type Ranked = Pick<KindedFile, "path" | "kind" | "status" | "added" | "deleted">;

/** Compares two files, the more important one first. */
export function byImportance(a: Ranked, b: Ranked): number {
  return rankOf(a) - rankOf(b) || b.added + b.deleted - a.added - a.deleted || compare(a.path, b.path);
}

// A migration that already ran is often only formatted again, so it is less important than code. A new one is the most important file of a release.
function rankOf({ kind, status }: Ranked): number {
  return kind === "migration" && status !== "A" ? fileKinds.indexOf("code") + 0.5 : fileKinds.indexOf(kind);
}

export function totalsByKind(files: readonly KindedFile[]): ReleaseFacts["files"]["byKind"] {
  return fileKinds.flatMap((kind) => {
    const own = files.filter((file) => file.kind === kind);
    return own.length === 0 ? [] : [{ kind, files: own.length, added: sum(own, "added"), deleted: sum(own, "deleted") }];
  });
}

export function sum(files: readonly KindedFile[], field: "added" | "deleted"): number {
  return files.reduce((total, file) => total + file[field], 0);
}

/** Returns the facts of one file. Only code and migrations have hunks. */
export function factsOfFile(
  file: KindedFile,
  patch: ReadonlyMap<string, readonly PatchHunk[]>,
  fixes: ReadonlyMap<string, number>,
  mostHunks: number,
  fresh: ReadonlyMap<string, number> | undefined,
): FileFacts {
  const { path, from, status, added, deleted, binary, kind } = file;
  const hunks = kind === "code" || kind === "migration" ? (patch.get(`${file.oldId}..${file.newId}`) ?? []) : [];
  const earlier = kind === "code" ? (fixes.get(from ?? path) ?? 0) : 0;
  const freshHunks = fresh?.get(path) ?? 0;
  return {
    path: line(path, 400),
    status,
    ...(from === null ? {} : { from: line(from, 400) }),
    added,
    deleted,
    ...(binary ? { binary: true as const } : {}),
    kind,
    ...(earlier > 0 ? { earlierFixes: earlier } : {}),
    ...(hunks.length > 0 ? { hunks: hunks.slice(0, mostHunks).map(factsOfHunk) } : {}),
    ...(freshHunks > 0 ? { freshHunks } : {}),
    ...(hunks.length > mostHunks ? { hunksOmitted: hunks.length - mostHunks } : {}),
  };
}

function factsOfHunk(hunk: PatchHunk): HunkFacts {
  return { line: hunk.line, added: hunk.addedLines.length, deleted: hunk.removedLines.length, kind: kindOfHunk(hunk) };
}
