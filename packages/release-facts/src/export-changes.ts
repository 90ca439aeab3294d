import type { ChangedFile } from "./changed-files.ts";
import { compare, line } from "./clean-text.ts";
import { type ExportedNames, exportsOf } from "./exported-names.ts";
import { isDemanded, isField, ownerOf } from "./member-signature.ts";
import type { ReleaseFacts } from "./release-facts.ts";

type Exports = ReleaseFacts["exports"];
type Named = Exports["removed"][number];

const NOTHING: ExportedNames = new Map();

/**
 * Compares the exported names of changed files. A name that left one file and appeared in another one moved, so it is neither removed nor added. The
 * members of a type that is gone are not gone once more, and a new field is not listed, because it breaks nobody. A method that implementations of an
 * interface must have now is both added and changed.
 */
export function exportChanges(files: readonly ChangedFile[], texts: ReadonlyMap<string, string>, most: number): Exports {
  const removed: Named[] = [];
  const changed: Named[] = [];
  const added: Named[] = [];
  const members = new Set<string>();
  for (const { path, from, oldId, newId } of files.flatMap(asPackages)) {
    // Without one of the contents, all of its names would seem to be new or removed.
    if ((oldId !== "" && !texts.has(oldId)) || (newId !== "" && !texts.has(newId))) continue;
    const before = namesOf(from ?? path, texts.get(oldId));
    const after = namesOf(path, texts.get(newId));
    const file = line(path, 400);
    for (const [name, signature] of before) {
      const now = after.get(name);
      if (isField(signature) || isDemanded(signature)) members.add(line(name, 160));
      if (now === undefined && !isStillTaken(name, after)) removed.push({ file, name: line(name, 160) });
      else if (now !== undefined && now !== signature && now !== "" && signature !== "") changed.push({ file, name: line(name, 160) });
    }
    for (const [name, signature] of after) {
      if (before.has(name)) continue;
      // Who implements the interface lacks its new method.
      const isLacking = isDemanded(signature) && before.has(ownerOf(name));
      if (isField(signature)) members.add(line(name, 160));
      added.push({ file, name: line(name, 160) });
      if (isLacking) changed.push({ file, name: line(name, 160) });
    }
  }
  const isAdded = sameNames(added);
  const isRemoved = sameNames(removed);
  const gone = removed.filter((lost) => lost.name === "default" || !isAdded(lost));
  const goneNames = new Set(gone.map(({ name }) => name));
  const listed = gone.filter(({ name }) => !members.has(name) || !goneNames.has(ownerOf(name)));
  const fresh = added.filter((found) => !members.has(found.name) && (found.name === "default" || !isRemoved(found)));
  const [a, b, c] = [bounded(listed, most), bounded(changed, most), bounded(fresh, most)];
  return { removed: a, changed: b, added: c, omitted: listed.length + changed.length + fresh.length - a.length - b.length - c.length };
}

/** In Go, the folder of a file is the package that others import, so a file that moves to another one is gone and new. */
function asPackages(file: ChangedFile): readonly ChangedFile[] {
  const { path, from } = file;
  if (from === null || !path.endsWith(".go") || folderOf(from) === folderOf(path)) return [file];
  return [
    { ...file, path: from, from: null, newId: "" },
    { ...file, from: null, oldId: "" },
  ];
}

/** Returns a test of whether one of these names is the same as another one, in Go also in the same folder. */
function sameNames(list: readonly Named[]): (other: Named) => boolean {
  const names = new Set(list.map(plainName));
  const places = new Set(list.map((named) => `${folderOf(named.file)} ${plainName(named)}`));
  return (other) => (other.file.endsWith(".go") ? places.has(`${folderOf(other.file)} ${plainName(other)}`) : names.has(plainName(other)));
}

/** A feature that was implied may now be written down. */
function plainName({ name }: Named): string {
  return name.replace(/^implied /, "");
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** Returns whether a parameter that is gone breaks nobody, because its function now takes any name. */
function isStillTaken(name: string, after: ExportedNames): boolean {
  return name.endsWith("(**)") || (name.endsWith(")") && after.has(`${ownerOf(name)}(**)`));
}

function namesOf(path: string, text: string | undefined): ExportedNames {
  return text === undefined ? NOTHING : (exportsOf(path, text) ?? NOTHING);
}

function bounded(list: readonly Named[], most: number): Named[] {
  return list.toSorted((a, b) => compare(a.file, b.file) || compare(a.name, b.name)).slice(0, most);
}
