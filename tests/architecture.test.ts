import path from "node:path";
import { describe, expect, it } from "vitest";
import { homes, longestFile, longFiles, rooms, testsMayImport } from "./architecture-table.ts";
import { importsOf, packageOf, type SourceFile, sourceFiles, workspacePackages } from "./workspace-source.ts";

// These tests check the architecture a second time, beside lint. They read the manifests and the source text themselves, so a lint-disable comment
// cannot hide a violation.

const packages = workspacePackages();
const rootPackage = packages.find(({ folder }) => folder === ".");
const files = sourceFiles();

describe("the table", () => {
  it("has a row for every package and no other rows", () => {
    expect(Object.keys(rooms).toSorted()).toEqual(
      packages
        .filter(({ folder }) => folder !== ".")
        .map(({ folder }) => folder)
        .toSorted(),
    );
  });

  it("is layered: a package imports only packages above its own row", () => {
    const order = Object.keys(rooms).map((folder) => packages.find((candidate) => candidate.folder === folder)?.name ?? folder);
    const upward = Object.values(rooms).flatMap(({ ours }, row) =>
      ours.filter((name) => !order.slice(0, row).includes(name)).map((name) => `${order[row]} imports ${name}`),
    );
    expect(upward).toEqual([]);
  });

  it("gives every client a home inside a package that may have it", () => {
    const homeless = Object.entries(rooms).flatMap(([folder, { clients }]) =>
      clients
        .filter((client) => !(homes[client] ?? []).some((home) => within(folder, home) || within(home, folder)))
        .map((client) => `${folder}: ${client}`),
    );
    expect(homeless).toEqual([]);
  });
});

describe("manifests", () => {
  it("declare nothing that the table does not allow", () => {
    const breaches = packages.flatMap(({ folder, dependencies, devDependencies }) => {
      const room = rooms[folder];
      if (!room) return [];
      const allowed = [...room.ours, ...room.clients];
      const forTests = devDependencies.filter((name) => name.startsWith("@toolbus/") && ![...allowed, ...testsMayImport].includes(name));
      return [...dependencies.filter((name) => !allowed.includes(name)), ...forTests].map((name) => `${folder} declares ${name}`);
    });
    expect(breaches).toEqual([]);
  });
});

describe("source", () => {
  it("imports only what its package declares", () => {
    const breaches = files.flatMap((source) =>
      foreignPackages(source)
        .filter((name) => !mayImport(source.file, name))
        .map((name) => `${source.file} imports ${name}`),
    );
    expect(breaches).toEqual([]);
  });

  it("has third-party clients only in their homes", () => {
    const breaches = files.filter(isProduction).flatMap(({ file, imports }) =>
      imports
        .map((module) => packageOf(module) ?? "")
        .filter((name) => name in homes && !homes[name]?.some((home) => within(file, home)))
        .map((name) => `${file} imports ${name}, which lives in ${homes[name]?.join(", ")}`),
    );
    expect(breaches).toEqual([]);
  });

  it("connects the agent only to bus, store and model: its own code makes no connection", () => {
    const clients = /^(?:node:)?(?:https?|http2|net|tls|dgram|dns|child_process|worker_threads|undici)(?:\/|$)/;
    const agents = files.filter(isProduction).filter(({ file }) => within(file, "services/agent"));
    expect(agents.length).toBeGreaterThan(50);
    const breaches = agents.flatMap(({ file, text, imports }) => [
      ...imports.filter((module) => clients.test(module)).map((module) => `${file} imports ${module}`),
      ...[...text.matchAll(/\bfetch\(|\bnew (?:WebSocket|EventSource)\b/g)].map(([word]) => `${file} has ${word}`),
    ]);
    expect(breaches).toEqual([]);
  });

  it("lets only programs that a person starts open a repository: services and models take no more than the facts", () => {
    const below = files.filter(isProduction).filter(({ file }) => within(file, "services") || within(file, "packages/models"));
    const importing = below.filter(({ imports }) => imports.some((module) => module.startsWith("@toolbus/release-facts")));
    expect(importing.length).toBeGreaterThan(2);
    const breaches = importing.flatMap(({ file, text }) =>
      importsOf(withoutTypeImports(text))
        .filter((module) => module.startsWith("@toolbus/release-facts") && module !== "@toolbus/release-facts/facts")
        .map((module) => `${file} imports ${module}`),
    );
    expect(breaches).toEqual([]);
  });

  it("keeps transitions pure: no I/O, no waiting, and no import of a package with either", () => {
    const pure = files
      .filter(isProduction)
      .filter(({ file }) => within(file, "services/agent/src/transitions") || within(file, "services/approvals/src/machine"));
    expect(pure.length).toBeGreaterThan(25);
    const rooms = /^\.\.\/(?:steps|incoming|documents|requests|decisions|answers|eras|routes|sealed)\//;
    const machinery = /^(?:node:|@toolbus\/(?:bus|state|runtime|tool-kit)(?:\/|$))/;
    const breaches = pure.flatMap(({ file, text }) => [
      ...[...text.matchAll(/\b(?:async|await|Promise|setTimeout|setInterval)\b/g)].map(([word]) => `${file} has ${word}`),
      ...importsOf(withoutTypeImports(text))
        .filter((module) => rooms.test(module) || machinery.test(module))
        .map((module) => `${file} imports ${module}`),
    ]);
    expect(breaches).toEqual([]);
  });

  it("runs a conformance suite from tests only", () => {
    const breaches = files.filter(isProduction).filter(({ imports }) => imports.some((module) => module.endsWith("/conformance")));
    expect(breaches.map(({ file }) => file)).toEqual([]);
  });

  it("stays inside its package when it imports a relative path", () => {
    const breaches = files.flatMap(({ file, imports }) =>
      imports
        .filter((module) => module.startsWith(".") && folderOf(path.join(path.dirname(file), module)) !== folderOf(file))
        .map((module) => `${file} imports ${module}`),
    );
    expect(breaches).toEqual([]);
  });

  it("has no junk room", () => {
    const junk = /(?:^|[/.-])(?:utils?|common|helpers?|types|interfaces)(?:\.test)?(?:\/|\.ts$)/;
    expect(files.map(({ file }) => file).filter((file) => junk.test(file))).toEqual([]);
  });

  it("is named in kebab-case", () => {
    const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|conformance|config))?\.ts$/;
    expect(files.map(({ file }) => file).filter((file) => !kebab.test(path.basename(file)))).toEqual([]);
  });

  it("has no default export, except in a tool's own configuration", () => {
    const defaults = files.filter(({ text }) => /^export default\b|^export \{[^}]*\bas default\b/m.test(text));
    expect(defaults.map(({ file }) => file)).toEqual(["tests/mutants/vitest.config.ts", "vitest.config.ts"]);
  });

  it("gives a reason for every long file", () => {
    const long = files.filter(({ text }) => text.split("\n").length - 1 > longestFile).map(({ file }) => file);
    expect(long).toEqual(Object.keys(longFiles).toSorted());
  });
});

describe("the reader of imports", () => {
  it.each([
    ["named imports", 'import { a, type B } from "one";', ["one"]],
    ["imports over several lines", 'import {\n  a,\n  b,\n} from "one";', ["one"]],
    ["a default beside named ones", 'import one, { a } from "one";', ["one"]],
    ["a namespace", 'import * as one from "one";', ["one"]],
    ["types", 'import type { A } from "one";\nexport type { B } from "two";', ["one", "two"]],
    ["a re-export", 'export * from "./one.ts";\nexport { a } from "two";', ["./one.ts", "two"]],
    ["an import for its effect", 'import "one";', ["one"]],
    ["a late import", 'const one = await import("./one.ts");', ["./one.ts"]],
    ["no comment", '// import { a } from "one";\n * import { b } from "two";', []],
    ["no other export", 'export const from = (a: string) => a;\nexport function b() {}\nconst text = "from";', []],
  ])("finds %s", (_, text, modules) => {
    expect(importsOf(text)).toEqual(modules);
  });
});

/** Returns the packages that a file imports. Modules of Node do not count. */
function foreignPackages({ imports }: SourceFile): readonly string[] {
  return imports
    .map(packageOf)
    .filter((name) => name !== null)
    .filter((name) => !name.startsWith("node:"));
}

/**
 * Returns whether a file may import a package. A test may also use everything that the root declares for tests, and the packages that exist for
 * tests.
 */
function mayImport(file: string, name: string): boolean {
  const own = packages.find(({ folder }) => folder === folderOf(file));
  if (own?.dependencies.includes(name)) return true;
  if (own && rooms[own.folder]?.devOnly && own.devDependencies.includes(name)) return true;
  if (isProduction({ file })) return false;
  if (own?.devDependencies.includes(name) || testsMayImport.includes(name)) return true;
  return !name.startsWith("@toolbus/") && rootPackage?.devDependencies.includes(name) === true;
}

/** Returns whether a file is production code. The files in the root are tools and tests. In packages, test files and conformance suites are tests. */
function isProduction({ file }: Pick<SourceFile, "file">): boolean {
  return folderOf(file) !== "." && !file.endsWith(".test.ts") && !/\/(?:conformance|corpus)\/|\/src\/(?:.+\/)?testing\//.test(file);
}

/** Removes type imports, because they do not exist when the program runs. */
function withoutTypeImports(text: string): string {
  return text.replaceAll(/^import type [^;]*;$/gm, "");
}

function folderOf(file: string): string {
  return packages.find(({ folder }) => folder !== "." && within(file, folder))?.folder ?? ".";
}

function within(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`);
}
