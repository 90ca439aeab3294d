import { globSync, readFileSync } from "node:fs";
import path from "node:path";

/** A package of the workspace. The root counts as a package too, and its source is `tests/` and `scripts/`. */
export interface WorkspacePackage {
  readonly name: string;
  /** The package's folder, from the root of the repository. The root's own folder is ".". */
  readonly folder: string;
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
}

/** A TypeScript file with the modules that it imports, in order and as written. */
export interface SourceFile {
  /** The file's path from the root of the repository. */
  readonly file: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const root = path.dirname(import.meta.dirname);

/** Returns every package of the workspace, with the root last. */
export function workspacePackages(): readonly WorkspacePackage[] {
  const manifests = globSync(["{packages,services,apps,examples}/*/package.json", "bench/package.json", "package.json"], { cwd: root });
  return manifests
    .map((file) => readManifest(path.dirname(file)))
    .toSorted((a, b) => Number(a.folder === ".") - Number(b.folder === ".") || a.folder.localeCompare(b.folder));
}

/** Returns every TypeScript file of the workspace. */
export function sourceFiles(): readonly SourceFile[] {
  return globSync(["{packages,services,apps,examples}/*/src/**/*.ts", "bench/src/**/*.ts", "{tests,scripts}/**/*.ts", "*.ts"], {
    cwd: root,
  })
    .toSorted()
    .map((file) => {
      const text = readFileSync(path.join(root, file), "utf8");
      return { file, text, imports: importsOf(text) };
    });
}

/** Returns the modules in import and export statements and in `import("…")`, including type imports. */
export function importsOf(text: string): readonly string[] {
  const statement =
    /^[ \t]*(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*(?:,\s*)?)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\})?\s*from\s*["']([^"']+)["']/gm;
  const bare = /^[ \t]*import\s*["']([^"']+)["']/gm;
  const dynamic = /\bimport\(\s*["']([\w@./:-]+)["']/g;
  return [statement, bare, dynamic].flatMap((pattern) => [...text.matchAll(pattern)].map(([, module]) => module ?? ""));
}

/** Returns the package of a module: `@toolbus/bus` for `@toolbus/bus/conformance`. Returns null for a relative path. */
export function packageOf(module: string): string | null {
  if (module.startsWith(".")) return null;
  if (module.startsWith("node:")) return module;
  return module
    .split("/")
    .slice(0, module.startsWith("@") ? 2 : 1)
    .join("/");
}

function readManifest(folder: string): WorkspacePackage {
  const manifest: unknown = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8"));
  return {
    name: typeof manifest === "object" && manifest !== null && "name" in manifest ? String(manifest.name) : "",
    folder,
    dependencies: [
      ...namesIn(manifest, "dependencies"),
      ...namesIn(manifest, "optionalDependencies"),
      ...namesIn(manifest, "peerDependencies"),
    ],
    devDependencies: namesIn(manifest, "devDependencies"),
  };
}

function namesIn(manifest: unknown, field: string): readonly string[] {
  if (typeof manifest !== "object" || manifest === null) return [];
  return Object.keys(new Map<string, unknown>(Object.entries(manifest)).get(field) ?? {});
}
