import { execFile } from "node:child_process";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { RenderedObject } from "./rendered-objects.ts";

/**
 * Returns the faults of the objects, one sentence each. A field that the API does not have is a fault: the types of `kubernetes-models` find it in a
 * literal, because its own validation accepts unknown fields. The validation finds wrong values, such as a port that is a word where a number is needed.
 */
export async function faultsOf(objects: readonly RenderedObject[]): Promise<readonly string[]> {
  return [...(await unknownFields(objects)), ...(await wrongValues(objects))];
}

const root = path.join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** The module of a kind, in the packages that describe it. */
function moduleOf({ apiVersion, kind }: RenderedObject): string {
  if (apiVersion.startsWith("keda.sh/")) return `@kubernetes-models/keda/${apiVersion}/${kind}`;
  return `kubernetes-models/${apiVersion}/${kind}`;
}

async function unknownFields(objects: readonly RenderedObject[]): Promise<readonly string[]> {
  const cache = path.join(root, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  await using folder = await mkdtempDisposable(path.join(cache, "kubernetes-"));
  const lines = objects.flatMap((object, i) => [
    `import type { I${object.kind} as I${i} } from ${JSON.stringify(moduleOf(object))};`,
    `export const o${i}: I${i} = ${JSON.stringify(object)};`,
  ]);
  const file = path.join(folder.path, "objects.ts");
  await writeFile(file, lines.join("\n"));
  const compiler = path.join(root, "node_modules/typescript/bin/tsc");
  const options = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    "--target",
    "esnext",
    "--types",
    "",
  ];
  try {
    await run(process.execPath, [compiler, "--ignoreConfig", "--pretty", "false", ...options, file], {
      timeout: 120_000,
      maxBuffer: 16 * 1024 * 1024,
    });
    return [];
  } catch (error) {
    const { stdout = "" } = error as { readonly stdout?: string };
    if (!/error TS/.test(stdout)) throw error;
    return stdout.split("\n").flatMap((line) => {
      const { at, message } = /\((?<at>\d+),\d+\): error (?<message>.*)$/.exec(line)?.groups ?? {};
      const object = objects[(Number(at) - 2) / 2];
      return message === undefined ? [] : [`${object ? nameOf(object) : line}: ${message}`];
    });
  }
}

async function wrongValues(objects: readonly RenderedObject[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const object of objects) {
    const models = (await import(moduleOf(object))) as Record<string, new (data: object) => { validate(): void }>;
    const Model = models[object.kind];
    if (!Model) throw new Error(`There is no model of ${object.apiVersion} ${object.kind}.`);
    try {
      new Model(object).validate();
    } catch (error) {
      faults.push(`${nameOf(object)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return faults;
}

function nameOf({ kind, metadata }: RenderedObject): string {
  return `${kind} ${metadata.name}`;
}
