import type { ChangedFile } from "./changed-files.ts";
import { compare, line } from "./clean-text.ts";
import { type ExportedNames, exportsOf } from "./exported-names.ts";
import type { ReleaseFacts } from "./release-facts.ts";

type Exports = ReleaseFacts["exports"];
type Named = Exports["removed"][number];

const NOTHING: ExportedNames = new Map();

/** Compares the exported names of changed files. A name that left one file and appeared in another one moved, so it is neither removed nor added. */
export function exportChanges(files: readonly ChangedFile[], texts: ReadonlyMap<string, string>, most: number): Exports {
  const removed: Named[] = [];
  const changed: Named[] = [];
  const added: Named[] = [];
  for (const { path, from, oldId, newId } of files) {
    // Without one of the contents, all of its names would seem to be new or removed.
    if ((oldId !== "" && !texts.has(oldId)) || (newId !== "" && !texts.has(newId))) continue;
    const before = namesOf(from ?? path, texts.get(oldId));
    const after = namesOf(path, texts.get(newId));
    const file = line(path, 400);
    for (const [name, signature] of before) {
      const now = after.get(name);
      if (now === undefined) removed.push({ file, name: line(name, 160) });
      else if (now !== signature && now !== "" && signature !== "") changed.push({ file, name: line(name, 160) });
    }
    for (const name of after.keys()) if (!before.has(name)) added.push({ file, name: line(name, 160) });
  }
  const gone = removed.filter(({ name }) => name === "default" || !added.some((other) => other.name === name));
  const fresh = added.filter(({ name }) => name === "default" || !removed.some((other) => other.name === name));
  const [a, b, c] = [bounded(gone, most), bounded(changed, most), bounded(fresh, most)];
  return { removed: a, changed: b, added: c, omitted: gone.length + changed.length + fresh.length - a.length - b.length - c.length };
}

function namesOf(path: string, text: string | undefined): ExportedNames {
  return text === undefined ? NOTHING : (exportsOf(path, text) ?? NOTHING);
}

function bounded(list: readonly Named[], most: number): Named[] {
  return list.toSorted((a, b) => compare(a.file, b.file) || compare(a.name, b.name)).slice(0, most);
}
