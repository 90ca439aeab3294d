import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type DeclaredName, openSurface } from "../scripts/declared-surface.ts";

describe("the surface of a package", () => {
  it("has every name that the entry exports, in any way, and no other", () => {
    const { exported } = surfaceOf({
      "index.ts": 'export * from "./all.ts";\nexport { a as renamed } from "./some.ts";\n',
      "all.ts": "export const one = 1;\nconst hidden = 2;\nexport default hidden;\n",
      "some.ts": "export const a = 1;\nexport const b = 2;\n",
    });
    expect(exported.map(({ name, file }) => `${name} ${file}`)).toEqual(["one packages/a/src/all.ts", "renamed packages/a/src/some.ts"]);
  });

  it.each([
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
  ])("is one line per name, including that of %s", (_, source, line) => {
    expect(linesOf(surfaceOf({ "index.ts": source }))).toEqual([line]);
  });

  it("has the overloads of a function, without the implementation's signature", () => {
    const source =
      "export function a(b: string): string;\nexport function a(b: number): number;\nexport function a(b: any): any { return b; }\n";
    expect(linesOf(surfaceOf({ "index.ts": source }))).toEqual(["function a(b: string): string", "function a(b: number): number"]);
  });

  it("has only the type of a type-only export", () => {
    const surface = surfaceOf({
      "index.ts": 'export type { A } from "./a.ts";\n',
      "a.ts": "export const A = 1;\nexport type A = typeof A;\n",
    });
    expect(linesOf(surface)).toEqual(["type A = typeof A;"]);
  });

  it("has the types that a signature names and that nobody exports, and their types too, but none of a function's body", () => {
    const { named } = surfaceOf({
      "index.ts": 'export { a } from "./a.ts";\n',
      "a.ts":
        "interface Deep { x: 1 }\ninterface Options { deep: Deep }\ninterface Inside { y: 1 }\nexport function a(options: Options): void { const b: Inside = { y: 1 }; void b; }\n",
    });
    expect(named.map(({ name }) => name)).toEqual(["Deep", "Options"]);
  });

  it("shows a change after the cut of a long line", () => {
    const long = (last: string) =>
      linesOf(surfaceOf({ "index.ts": `export interface A { ${"b: string; ".repeat(40)} ${last}: number }` }))[0] ?? "";
    expect(long("c")).toHaveLength(200);
    expect(long("c")).toMatch(/^interface A \{ b: string; .* … \/\/ all: [0-9a-f]{8}$/);
    expect(long("c")).not.toBe(long("d"));
  });
});

interface Surface {
  readonly exported: readonly DeclaredName[];
  readonly named: readonly DeclaredName[];
}

function linesOf({ exported }: Surface): readonly string[] {
  return exported.flatMap(({ lines }) => lines);
}

/** Returns the surface of a package that consists of these files and whose entry is its `index.ts`. */
function surfaceOf(files: Readonly<Record<string, string>>): Surface {
  const entry = "packages/a/src/index.ts";
  const root = mkdtempSync(path.join(tmpdir(), "surface-"));
  try {
    for (const folder of ["scripts", "packages/a/src"]) mkdirSync(path.join(root, folder), { recursive: true });
    const compilerOptions = {
      target: "es2024",
      module: "nodenext",
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      types: [],
    };
    writeFileSync(path.join(root, "package.json"), '{ "type": "module" }');
    writeFileSync(path.join(root, "scripts/surface.tsconfig.json"), JSON.stringify({ compilerOptions, include: ["../packages"] }));
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(root, "packages/a/src", file), text);
    const surface = openSurface(root);
    try {
      const { exported, named } = surface.read([entry]);
      return { exported: exported.get(entry) ?? [], named };
    } finally {
      surface.close();
    }
  } finally {
    rmSync(root, { recursive: true });
  }
}
