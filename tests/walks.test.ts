import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import {
  isClassDeclaration,
  isFunctionDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isMethodDeclaration,
  isMethodSignatureDeclaration,
  isVariableStatement,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";
import { describe, expect, it } from "vitest";

const root = path.dirname(import.meta.dirname);
const folder = path.join(root, "docs/walks");
const LEAST_STOPS = 6;
const MOST_STOPS = 15;

describe("the walks", () => {
  const pages = new Map(
    globSync("*.md", { cwd: folder })
      .filter((page) => page !== "README.md")
      .toSorted()
      .map((page) => [page, readFileSync(path.join(folder, page), "utf8")]),
  );

  it("lead to names that their files declare, in 6 to 15 stops", () => {
    expect([...pages.values()].flatMap(itemsOf).length).toBeGreaterThanOrEqual(5 * LEAST_STOPS);
    expect(faultsOf(pages)).toEqual([]);
  });

  it("are all in the list of walks, and no other is", () => {
    const listed = linksIn(readFileSync(path.join(folder, "README.md"), "utf8")).filter((link) => !link.includes("/"));
    expect(listed.toSorted()).toEqual([...pages.keys()]);
  });
});

describe("a walk", () => {
  const file = "packages/a/src/a.ts";
  const source = `
    import { imported } from "./b.ts";
    /** Says "commented". */
    export const limit = 1;
    export function start(): void { const inside = called("quoted"); }
    export class Draft { dispatch(): void {} }
    export interface Port { read(): void; }
    export const made = { async begin() { imported(); } };
    export function outer() { return nested(); function nested() { return 1; } }
  `;
  const stop = (n: number, name = "start", link = `../../${file}`) => `${n}. [${name}](${link}) It begins here.`;
  const walk = (...lines: readonly string[]) => ["# A walk", "", "From a to b.", "", ...lines].join("\n");
  const whole = (...first: readonly string[]) => walk(...first, ...[1, 2, 3, 4, 5, 6].slice(first.length).map((n) => stop(n)));
  const faults = (text: string) => faultsOf(new Map([["a.md", text]]), new Map([[path.join(root, file), source]]));

  it.each(["limit", "start", "Draft", "dispatch", "Port", "read", "made", "begin", "outer", "nested"])(
    "may stop at what its file declares: %s",
    (name) => {
      expect(faults(whole(stop(1, name)))).toEqual([]);
    },
  );

  it.each(["starts", "imported", "commented", "called", "quoted", "inside"])(
    "is refused with page and line if its file only contains such a word, or none: %s",
    (name) => {
      expect(faults(whole(stop(1, name)))).toEqual([`a.md:5: ${file} declares no "${name}"`]);
    },
  );

  it.each<[string, string, RegExp]>([
    [
      "of a file that does not exist",
      whole(stop(1, "start", "../../packages/a/src/b.ts")),
      /^a\.md:5: there is no packages\/a\/src\/b\.ts$/,
    ],
    ["of a page that does not exist", `${whole()}\n\nSee [b](b.md#c).`, /^a\.md: there is no docs\/walks\/b\.md$/],
    ["without a link", whole("1. Here it begins."), /^a\.md:5: a stop is "1\. \[name\]\(file\) Words\."$/],
    ["without words", whole(`1. [start](../../${file})`), /^a\.md:5: a stop is/],
    ["with a number left out", walk(...[1, 2, 3, 4, 5, 7].map((n) => stop(n))), /^a\.md:10: this is stop 6, not 7$/],
    ["of five stops", walk(...[1, 2, 3, 4, 5].map((n) => stop(n))), /^a\.md: 5 stops; a walk has 6 to 15$/],
    ["of sixteen stops", walk(...Array.from({ length: 16 }, (_, n) => stop(n + 1))), /^a\.md: 16 stops; a walk has 6 to 15$/],
  ])("%s is refused", (_, text, words) => {
    expect(faults(text)).toEqual([expect.stringMatching(words)]);
  });

  it("may have headings between its stops, and stops of several lines", () => {
    expect(
      faults(walk(`1. [start](../../${file}) It`, "   begins here.", "", "## Later", "", ...[2, 3, 4, 5, 6].map((n) => stop(n)))),
    ).toEqual([]);
  });
});

/** An item of a numbered list. */
interface Item {
  /** The line of the page, from 1. */
  readonly line: number;
  readonly number: number;
  readonly text: string;
}

function itemsOf(page: string): readonly Item[] {
  const items: Item[] = [];
  for (const [index, line] of page.split("\n").entries()) {
    const [, number, text] = /^(\d+)\. (.*)$/.exec(line) ?? [];
    const last = items.at(-1);
    if (number !== undefined && text !== undefined) items.push({ line: index + 1, number: Number(number), text });
    else if (last && /^ {2,}\S/.test(line)) items[items.length - 1] = { ...last, text: `${last.text} ${line.trim()}` };
  }
  return items;
}

function linksIn(text: string): readonly string[] {
  return [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link]) => link ?? "");
}

/** Returns one sentence for each fault of the walks. `sources` contains files, by path, that exist only for a test. */
function faultsOf(pages: ReadonlyMap<string, string>, sources: ReadonlyMap<string, string> = new Map()): readonly string[] {
  const isThere = (file: string): boolean => sources.has(file) || existsSync(file);
  const named = (file: string): string => path.relative(root, file);
  const stops = [...pages].flatMap(([page, text]) =>
    itemsOf(text).map((item) => {
      const [, name, link] = /^\[(\w+)\]\(([^)#]+)\) .*\.$/.exec(item.text) ?? [];
      return { ...item, page, name, file: link === undefined ? undefined : path.join(folder, link) };
    }),
  );
  const files = new Set(stops.flatMap(({ file }) => (file !== undefined && isThere(file) ? [file] : [])));
  const declared = declaredNames(new Map([...files].map((file) => [file, sources.get(file) ?? readFileSync(file, "utf8")])));
  return [...pages].flatMap(([page, text]) => {
    const own = stops.filter((stop) => stop.page === page);
    const linked = new Set(own.map(({ file }) => file));
    return [
      ...own.flatMap(({ line, number, name, file }, index) => {
        if (name === undefined || file === undefined) return [`${page}:${line}: a stop is "${number}. [name](file) Words."`];
        if (number !== index + 1) return [`${page}:${line}: this is stop ${index + 1}, not ${number}`];
        if (!isThere(file)) return [`${page}:${line}: there is no ${named(file)}`];
        return declared.get(file)?.has(name) === true ? [] : [`${page}:${line}: ${named(file)} declares no "${name}"`];
      }),
      ...linksIn(text)
        .map((link) => path.join(folder, link))
        .filter((file) => !linked.has(file) && !isThere(file))
        .map((file) => `${page}: there is no ${named(file)}`),
      ...(own.length < LEAST_STOPS || own.length > MOST_STOPS
        ? [`${page}: ${own.length} stops; a walk has ${LEAST_STOPS} to ${MOST_STOPS}`]
        : []),
    ];
  });
}

/** Returns the names that each of these files declares, according to the compiler. It ignores names in comments, strings and imports. */
function declaredNames(texts: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlySet<string>> {
  const config = path.join(root, "tests/walks.tsconfig.json");
  const compilerOptions = { noResolve: true, noLib: true, noEmit: true, allowImportingTsExtensions: true, types: [] };
  const virtual = new Map([...texts, [config, JSON.stringify({ compilerOptions, files: [...texts.keys()] })]]);
  const api = new API({
    cwd: root,
    fs: { readFile: (file) => virtual.get(file), fileExists: (file) => (virtual.has(file) ? true : undefined) },
  });
  try {
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    if (!project) throw new Error("The compiler found no project for the walks.");
    return new Map([...texts.keys()].map((file) => [file, namesIn(project.program.getSourceFile(file))]));
  } finally {
    api.close();
  }
}

function namesIn(source: SourceFile | undefined): ReadonlySet<string> {
  if (!source) throw new Error("The compiler does not find a file of the walks.");
  const names = new Set<string>();
  const add = (name: Node | undefined): void => {
    if (name && isIdentifier(name)) names.add(name.text);
  };
  const visit = (node: Node): void => {
    if (isFunctionDeclaration(node) || isClassDeclaration(node) || isInterfaceDeclaration(node)) add(node.name);
    if (isMethodDeclaration(node) || isMethodSignatureDeclaration(node)) add(node.name);
    node.forEachChild(visit);
  };
  visit(source);
  // Only declarations at the top level of a file count, because a walk should not send its reader to a name inside a function.
  for (const statement of source.statements)
    if (isVariableStatement(statement)) for (const { name } of statement.declarationList.declarations) add(name);
  return names;
}
