import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { API } from "typescript/unstable/sync";
import { beforeAll, describe, expect, it } from "vitest";
import { rooms } from "./architecture-table.ts";
import { workspacePackages } from "./workspace-source.ts";

const root = path.dirname(import.meta.dirname);
const packages = workspacePackages().filter(({ folder }) => folder !== ".");
const nameOf = (folder: string): string => packages.find((each) => each.folder === folder)?.name ?? folder;

describe.each(packages)("the README of $name", ({ name, folder }) => {
  const file = path.join(root, folder, "README.md");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";

  it("exists, and has at most a page", () => {
    expect(text).toMatch(/^# .+\n\n\S/);
    expect(text.split("\n").length - 1).toBeLessThanOrEqual(60);
  });

  it("names every entry that its manifest exports, and the page of their names", () => {
    expect(entriesOf(folder).filter((entry) => !text.includes(`\`${entry}\``))).toEqual([]);
    if (folder.startsWith("packages/")) expect(section(text, "Entry")).toContain("](api.md)");
  });

  it("has the imports of the table: what it may import, and what imports it", () => {
    const [may = "", by = ""] = section(text, "Imports").split("\n\n");
    const importers = Object.entries(rooms)
      .filter(([, { ours }]) => ours.includes(name))
      .map(([importer]) => nameOf(importer));
    expect(oursIn(may)).toEqual(rooms[folder]?.ours.toSorted());
    expect(oursIn(by)).toEqual(importers.toSorted());
  });

  it("has three files to read first, each with a sentence", () => {
    const listed = section(text, "Read first").split("\n");
    const files = listed.map((line) => /^- \[(?<shown>[^\]]+)\]\((?<link>[^)]+)\): .+\.$/.exec(line)?.groups);
    expect(files.map((groups) => groups?.["link"] === groups?.["shown"] && isFile(folder, groups?.["link"]))).toEqual([true, true, true]);
  });

  it("links only to existing files", () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link]) => link ?? "");
    expect(links.filter((link) => !isFile(folder, link))).toEqual([]);
  });
});

describe("the examples of the READMEs", () => {
  const examples = new Map(packages.flatMap(({ folder }) => examplesOf(folder)));
  const wrong = example("packages/tool-kit", examples.size);
  const wrongText = 'import { defineTools } from "@toolbus/tool-kit";\nexport const a: number = "one";\n';
  let faults: readonly string[];
  const isOfWrong = (fault: string): boolean => fault.startsWith(`${path.relative(root, wrong)}: `);

  // One program, because both tests would otherwise compile the sources of the packages.
  beforeAll(() => {
    faults = faultsOf(new Map([...examples, [wrong, wrongText]]));
  }, 60_000);

  it("compile", () => {
    expect(examples.size).toBeGreaterThanOrEqual(5);
    expect(faults.filter((fault) => !isOfWrong(fault))).toEqual([]);
  });

  it("are checked: a wrong one fails", () => {
    expect(faults.filter(isOfWrong)).toEqual([
      expect.stringContaining("has no exported member named 'defineTools'"),
      expect.stringContaining("Type 'string' is not assignable to type 'number'."),
    ]);
  });
});

/** Returns the names of a package's entries, such as `@toolbus/bus` and `@toolbus/bus/conformance`. */
function entriesOf(folder: string): readonly string[] {
  const { name, exports = {} } = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly exports?: Readonly<Record<string, string>>;
  };
  return Object.keys(exports).map((entry) => `${name}${entry.slice(1)}`);
}

/** Returns the text between a heading of the second level and the next one. */
function section(text: string, heading: string): string {
  const [, rest = ""] = text.split(`\n## ${heading}\n`);
  return (rest.split("\n## ")[0] ?? "").trim();
}

function oursIn(text: string): readonly string[] {
  return [...text.matchAll(/`(@toolbus\/[a-z-]+)`/g)].map(([, name]) => name ?? "").toSorted();
}

function isFile(folder: string, link: string | undefined): boolean {
  return link !== undefined && existsSync(path.join(root, folder, link));
}

/** Returns the TypeScript fences of a README, each as a file beside the README. */
function examplesOf(folder: string): readonly (readonly [file: string, text: string])[] {
  const file = path.join(root, folder, "README.md");
  const fences = existsSync(file) ? readFileSync(file, "utf8").matchAll(/^```ts\n([^]*?)^```$/gm) : [];
  return [...fences].map(([, text = ""], index) => [example(folder, index), text] as const);
}

function example(folder: string, index: number): string {
  return path.join(root, folder, "src", `readme-example-${index}.ts`);
}

/** Compiles files that exist only in memory, as one program, and returns the compiler's messages. */
function faultsOf(files: ReadonlyMap<string, string>): readonly string[] {
  const config = path.join(root, "tests/readme-examples.tsconfig.json");
  const settings = JSON.stringify({ extends: "../tsconfig.json", include: [], files: [...files.keys()] });
  const virtual = new Map([...files, [config, settings]]);
  const api = new API({
    cwd: root,
    fs: { readFile: (file) => virtual.get(file), fileExists: (file) => (virtual.has(file) ? true : undefined) },
  });
  try {
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    if (!project) throw new Error("The compiler found no project for the examples.");
    return [
      ...project.program.getConfigFileParsingDiagnostics(),
      ...[...files.keys()].flatMap((file) => [
        ...project.program.getSyntacticDiagnostics(file),
        ...project.program.getSemanticDiagnostics(file),
      ]),
    ].map(({ fileName, text }) => `${path.relative(root, fileName ?? "")}: ${text}`);
  } finally {
    api.close();
  }
}
