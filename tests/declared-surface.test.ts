import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type DeclaredName, openSurface } from "../scripts/declared-surface.ts";

const sources = new Map<string, Readonly<Record<string, string>>>();
let surfaces: ReadonlyMap<string, Surface> = new Map();
beforeAll(() => {
  surfaces = readSurfaces();
}, 60_000);

describe("the surface of a package", () => {
  const anyWay = packageOf("a", {
    "index.ts": 'export * from "./all.ts";\nexport { a as renamed } from "./some.ts";\n',
    "all.ts": "export const one = 1;\nconst hidden = 2;\nexport default hidden;\n",
    "some.ts": "export const a = 1;\nexport const b = 2;\n",
  });

  it("has every name that the entry exports, in any way, and no other", () => {
    const { exported } = anyWay();
    expect(exported.map(({ name, file }) => `${name} ${file}`)).toEqual(["one packages/a/src/all.ts", "renamed packages/a/src/some.ts"]);
  });

  const lines = [
    [
      "an inferred value",
      "export const a = { port: 80, names: ['x'] } as const;",
      'const a: { readonly port: 80; readonly names: readonly ["x"]; }',
    ],
    ["a written type", "export const a: readonly number[] = [1];", "const a: readonly number[]"],
    [
      "a function's defaults",
      "export function a(b: number, c = 'x', ...d: string[]): void {}",
      "function a(b: number, c?: string, ...d: string[]): void",
    ],
    [
      "an inferred result",
      "export async function a({ b }: { b: number }) { return b; }",
      "function a(options: { b: number }): Promise<number>",
    ],
    ["comments", "export interface A {\n  /** Why. */\n  b: string; // http://x\n}", "interface A { b: string; }"],
    [
      "a class's private members",
      "export class A { #b = 1; readonly c: number = 2; private d = 3; e(f: string): number { return this.#b; } }",
      "class A { readonly c: number = 2; e(f: string): number; }",
    ],
    ["a union of several lines", "export type A =\n  | 'b'\n  | 'c';", "type A = 'b' | 'c';"],
  ].map(([what = "", source = "", line], n) => ({ what, surface: packageOf(`line-${n}`, { "index.ts": source }), line }));

  it.each(lines.map(({ what, ...rest }) => [what, rest] as const))("is one line per name, including that of %s", (_, { surface, line }) => {
    expect(linesOf(surface())).toEqual([line]);
  });

  const overloads = packageOf("overloads", {
    "index.ts":
      "export function a(b: string): string;\nexport function a(b: number): number;\nexport function a(b: any): any { return b; }\n",
  });

  it("has the overloads of a function, without the implementation's signature", () => {
    expect(linesOf(overloads())).toEqual(["function a(b: string): string", "function a(b: number): number"]);
  });

  const typeOnly = packageOf("type-only", {
    "index.ts": 'export type { A } from "./a.ts";\n',
    "a.ts": "export const A = 1;\nexport type A = typeof A;\n",
  });

  it("has only the type of a type-only export", () => {
    expect(linesOf(typeOnly())).toEqual(["type A = typeof A;"]);
  });

  const signatures = packageOf("signatures", {
    "index.ts": 'export { a } from "./a.ts";\n',
    "a.ts":
      "interface Deep { x: 1 }\ninterface Options { deep: Deep }\ninterface Inside { y: 1 }\nexport function a(options: Options): void { const b: Inside = { y: 1 }; void b; }\n",
  });

  it("has the types that a signature names and that nobody exports, and their types too, but none of a function's body", () => {
    const { named } = signatures();
    expect(named.map(({ name }) => name)).toEqual(["Deep", "Options"]);
  });

  const [longC, longD] = ["c", "d"].map((last) =>
    packageOf(`long-${last}`, { "index.ts": `export interface A { ${"b: string; ".repeat(40)} ${last}: number }` }),
  );

  it("shows a change after the cut of a long line", () => {
    const [c = "", d = ""] = [longC, longD].flatMap((surface) => (surface ? linesOf(surface()) : []));
    expect(c).toHaveLength(200);
    expect(c).toMatch(/^interface A \{ b: string; .* … \/\/ all: [0-9a-f]{8}$/);
    expect(d).toHaveLength(200);
    expect(c).not.toBe(d);
  });
});

interface Surface {
  readonly exported: readonly DeclaredName[];
  readonly named: readonly DeclaredName[];
}

function linesOf({ exported }: Surface): readonly string[] {
  return exported.flatMap(({ lines }) => lines);
}

/** Declares a package that consists of these files and whose entry is its `index.ts`. Returns a function that returns its surface in a test. */
function packageOf(name: string, files: Readonly<Record<string, string>>): () => Surface {
  sources.set(name, files);
  return () => {
    const surface = surfaces.get(name);
    if (!surface) throw new Error(`No surface of ${name} was read.`);
    return surface;
  };
}

/** Returns the surfaces of all declared packages, as one program, because each start of the compiler reads its whole library. */
function readSurfaces(): ReadonlyMap<string, Surface> {
  const root = mkdtempSync(path.join(tmpdir(), "surface-"));
  try {
    const compilerOptions = {
      target: "es2024",
      module: "nodenext",
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      types: [],
    };
    mkdirSync(path.join(root, "scripts"));
    writeFileSync(path.join(root, "package.json"), '{ "type": "module" }');
    writeFileSync(path.join(root, "scripts/surface.tsconfig.json"), JSON.stringify({ compilerOptions, include: ["../packages"] }));
    for (const [name, files] of sources) {
      const folder = path.join(root, "packages", name, "src");
      mkdirSync(folder, { recursive: true });
      for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
    }
    const surface = openSurface(root);
    try {
      return new Map(
        [...sources.keys()].map((name) => {
          const entry = `packages/${name}/src/index.ts`;
          const { exported, named } = surface.read([entry]);
          return [name, { exported: exported.get(entry) ?? [], named }];
        }),
      );
    } finally {
      surface.close();
    }
  } finally {
    rmSync(root, { recursive: true });
  }
}
