import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { quoted } from "../toolbus/self.ts";

/** What the files of a new worker say about the worker and about the checkout. */
export interface WorkerPlan {
  /** The name of the toolset. */
  readonly toolset: string;
  /** The way from the worker's folder to the checkout, which the worker links. */
  readonly checkout: string;
  /** The way from the worker's folder to the receipt key of the data directory. */
  readonly receiptKey: string;
  /** The folder of Toolbus itself. */
  readonly root: string;
}

const TEMPLATE = path.join(import.meta.dirname, "worker-template");
/** Every file except `package.json`. The names in the template end in `.template`, so that no tool of this repository takes them for its source. */
const FILES: readonly (readonly [file: string, template?: string])[] = [
  ["README.md"],
  ["tsconfig.json"],
  // npm and git treat a file with this name in a special way.
  [".gitignore", "gitignore"],
  ["src/main.ts"],
  ["src/toolset.ts"],
  ["src/toolset.test.ts"],
  ["src/notes.ts"],
  ["src/tools/list-notes.ts"],
  ["src/tools/add-note.ts"],
];
/** Packages of the checkout that a worker links besides the tool kit: types, the compiler and, on Linux, Node 24. An image lacks some of them. */
const LINKED = ["@types/node", `node-${process.platform}-${process.arch}`, "typescript"];

/** Returns the names of the two tools of a new worker. They contain the name of the toolset, because two toolsets cannot have one tool. */
export function toolNames(toolset: string): { readonly list: string; readonly add: string } {
  const words = toolset.split(/[-_]+/).filter((word) => word !== "");
  return { list: ["list", ...words, "notes"].join("_"), add: ["add", ...words, "note"].join("_") };
}

/** Returns the text of each file of a new worker, by its name in the worker's folder. */
export async function workerFiles(plan: WorkerPlan): Promise<ReadonlyMap<string, string>> {
  const words: Readonly<Record<string, string>> = {
    toolset: plan.toolset,
    checkout: plan.checkout,
    key: quoted(plan.receiptKey),
    ...toolNames(plan.toolset),
  };
  const filled = FILES.map(async ([file, template = file]) => {
    const text = await readFile(path.join(TEMPLATE, `${template}.template`), "utf8");
    return [file, text.replaceAll(/\{\{(\w+)\}\}/g, (whole, word: string) => words[word] ?? whole)] as const;
  });
  return new Map([["package.json", packageJson(plan)], ...(await Promise.all(filled))]);
}

function packageJson({ toolset, checkout, root }: WorkerPlan): string {
  const linked = LINKED.filter((name) => existsSync(path.join(root, "node_modules", name)));
  const content = {
    name: `${toolset}-worker`,
    version: "0.0.0",
    private: true,
    type: "module",
    scripts: { start: "node src/main.ts", check: "tsc -p .", test: 'node --test "src/**/*.test.ts"' },
    dependencies: { "@toolbus/tool-kit": `file:${checkout}/packages/tool-kit` },
    devDependencies: Object.fromEntries(linked.map((name) => [name, `file:${checkout}/node_modules/${name}`])),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
