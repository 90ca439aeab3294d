// Renders the page `api.md` of each package. The page lists every name that the package's entries export. So reviewers notice each change that
// authors of other packages can see.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { type DeclaredName, openSurface, type SurfaceReader } from "./declared-surface.ts";

/** An entry of a package as its manifest names it: `@toolbus/bus/conformance`, and its file relative to the root of the repository. */
interface Entry {
  readonly module: string;
  readonly file: string;
}

/** Returns the pages by their file, relative to the root of the repository. One compiler program renders all of them. */
export function surfacePages(root: string): ReadonlyMap<string, string> {
  const surface = openSurface(root);
  try {
    return new Map(surfaceFiles(root).map((file) => [file, surfacePage(entriesOf(root, path.dirname(file)), surface)]));
  } finally {
    surface.close();
  }
}

/** Returns the files of the pages, without starting the compiler. */
export function surfaceFiles(root: string): readonly string[] {
  return globSync("packages/*/package.json", { cwd: root })
    .toSorted()
    .map((manifest) => `${path.dirname(manifest)}/api.md`);
}

/** Returns the TypeScript entries that a package's manifest exports. */
export function entriesOf(root: string, folder: string): readonly Entry[] {
  const manifest = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly exports?: Readonly<Record<string, string>>;
  };
  return Object.entries(manifest.exports ?? {})
    .filter(([, file]) => file.endsWith(".ts"))
    .map(([entry, file]) => ({ module: `${manifest.name}${entry.slice(1)}`, file: path.join(folder, file) }));
}

function surfacePage(entries: readonly Entry[], surface: SurfaceReader): string {
  const { exported, named } = surface.read(entries.map(({ file }) => file));
  const sections = entries.flatMap(({ module, file }) => {
    const names = exported.get(file) ?? [];
    return [`## \`${module}\``, "", `${names.length} name${names.length === 1 ? "" : "s"}.`, "", ...byFile(names)];
  });
  const also = named.length === 0 ? [] : ["## Not exported, and named by a signature", "", ...byFile(named)];
  return [
    `# What ${entries[0]?.module ?? "it"} exports`,
    "",
    "Written by `npm run docs` from the source. Each line is a name, without the word `export`. A truncated line ends with a digest of all of it.",
    "",
    ...sections,
    ...also,
  ].join("\n");
}

/** Returns one code fence per source file, so that a reader knows in which file the doc comments of the names are. */
function byFile(names: readonly DeclaredName[]): readonly string[] {
  const files = [...new Set(names.map(({ file }) => file))].toSorted();
  return files.flatMap((file) => [`\`${file}\``, "", fenced(names.filter((each) => each.file === file)), ""]);
}

function fenced(names: readonly DeclaredName[]): string {
  return ["```ts", ...names.flatMap(({ lines }) => lines), "```"].join("\n");
}
