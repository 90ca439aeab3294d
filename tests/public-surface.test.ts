import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type SourceFile, sourceFiles, workspacePackages } from "./workspace-source.ts";

/** A name that an entry of a package exports, with the file that declares it. */
interface Exported {
  readonly module: string;
  readonly name: string;
  /** The file's path from the package's folder, as in the package's README: `src/message-bus.ts`. */
  readonly file: string;
}

const root = path.dirname(import.meta.dirname);
const files = sourceFiles();
const packages = workspacePackages().filter(({ folder }) => folder !== ".");
// The index files that may export whole files. The conformance suites are for authors of adapters, who use all of them. In contracts, every export of
// a file is public, and the README says why its index exports whole files.
const wholeEntries = new Set([
  "@toolbus/bus/conformance",
  "@toolbus/contracts",
  "@toolbus/models/conformance",
  "@toolbus/state/conformance",
]);

describe("an entry of a package", () => {
  it("names its exports, so that a new export of a file is not public by itself", () => {
    const stars = packages.flatMap(entriesOf).filter(({ module, text }) => !wholeEntries.has(module) && /^export \*/m.test(text));
    expect(stars.map(({ module }) => module)).toEqual([]);
  });

  it.each(packages)("exports what another package imports, or what the README calls public, and no more: $name", ({ name, folder }) => {
    const users = files.filter(({ file }) => !file.startsWith(`${folder}/`)).flatMap(namesIn);
    const used = new Set(users.map((each) => `${each.module} ${each.name}`));
    const readme = path.join(root, folder, "README.md");
    const said = existsSync(readme) ? readFileSync(readme, "utf8") : "";
    const unused = packages
      .filter((each) => each.name === name)
      .flatMap(entriesOf)
      .filter(({ module }) => !wholeEntries.has(module))
      .flatMap(exportedBy)
      .filter((each) => !used.has(`${each.module} ${each.name}`) && !said.includes(`\`${each.file}\``));
    expect(unused.map((each) => `${each.module} exports ${each.name}`)).toEqual([]);
  });

  it("has users that this test finds, in every way of importing", () => {
    const text = [
      'import { a, type B } from "@toolbus/one";',
      'export type { C as D } from "@toolbus/one/two";',
      "async function f() {",
      '  const { e, g: h } = await import("@toolbus/state");',
      "}",
    ].join("\n");
    expect(namesIn({ file: "f.ts", text, imports: [] }).map(({ module, name }) => `${module} ${name}`)).toEqual([
      "@toolbus/one a",
      "@toolbus/one B",
      "@toolbus/one/two C",
      "@toolbus/state e",
      "@toolbus/state g",
    ]);
  });
});

/** Returns the TypeScript entries that a package's manifest names. */
function entriesOf({ name, folder }: { readonly name: string; readonly folder: string }) {
  const { exports = {} } = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8")) as {
    readonly exports?: Readonly<Record<string, string>>;
  };
  return Object.entries(exports)
    .filter(([, file]) => file.endsWith("index.ts"))
    .map(([entry, file]) => ({
      module: `${name}${entry.slice(1)}`,
      file: path.normalize(file),
      text: readFileSync(path.join(root, folder, file), "utf8"),
    }));
}

function exportedBy({ module, file, text }: ReturnType<typeof entriesOf>[number]): readonly Exported[] {
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)";$/gm)].flatMap(([, names = "", from = ""]) =>
    listed(names, "public").map((name) => ({ module, name, file: path.join(path.dirname(file), from) })),
  );
}

/** Returns the names that a file imports from our packages. */
function namesIn({ text }: SourceFile): readonly { readonly module: string; readonly name: string }[] {
  const statements = text.matchAll(/\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"(@toolbus\/[\w/-]+)"/g);
  const late = text.matchAll(/\{([^{}=]*)\}\s*=\s*await import\("(@toolbus\/[\w/-]+)"\)/g);
  return [...statements, ...late].flatMap(([, names = "", module = ""]) => listed(names, "own").map((name) => ({ module, name })));
}

/** Returns the names in a list of imports or exports. In `a as b`, `a` is the name in its module and `b` is the exported name. */
function listed(names: string, which: "own" | "public"): readonly string[] {
  return names
    .split(",")
    .map((each) => each.trim().replace(/^type /, ""))
    .filter((each) => each !== "")
    .map((each) => each.split(/ as |: /).at(which === "own" ? 0 : -1) ?? each);
}
