import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scratch } from "./testing/scratch.ts";

const TOOL_KIT = path.resolve(import.meta.dirname, "../../packages/tool-kit");
const COMPILER = path.resolve(import.meta.dirname, "../../node_modules/typescript/bin/tsc");
const NODE_TYPES = path.resolve(import.meta.dirname, "../../node_modules/@types");
const LINKED_SOURCE = "--module nodenext --target es2024 --skipLibCheck --allowImportingTsExtensions --types node --typeRoots"
  .split(" ")
  .concat(NODE_TYPES);
const TOOL = `
  import { defineTool, startWorker, toolset } from "@toolbus/tool-kit";
  const add = defineTool({
    name: "add_numbers",
    description: "Adds two numbers, e.g. 1 and 2. Output: the sum. Not for text.",
    kind: "compute",
    parameters: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
      additionalProperties: false,
    },
    run: async ({ a, b }: { readonly a: number; readonly b: number }) => ({ sum: a + b }),
  });
  console.log(typeof startWorker, toolset({ name: "sums", tools: [add] }).name);
`;

describe("the author of a tool, in a folder outside the repository", () => {
  const folder = scratch();
  beforeAll(() => {
    folder.file("package.json", `{ "name": "mine", "private": true, "type": "module" }`);
    folder.file("tool.ts", TOOL);
  });
  afterAll(() => folder.remove());

  it("links the tool kit with npm, and runs a TypeScript file that imports it", () => {
    const run = (program: string, ...args: readonly string[]) =>
      execFileSync(program, args, { cwd: folder.at("."), encoding: "utf8", timeout: 60_000 });
    run("npm", "install", "--no-audit", "--no-fund", TOOL_KIT);
    expect(run(process.execPath, "tool.ts")).toBe("function sums\n");
    // The tool kit is TypeScript source, so the compiler of the author checks it too, with the author's own settings.
    expect(run(process.execPath, COMPILER, "--strict", "--noEmit", ...LINKED_SOURCE, "tool.ts")).toBe("");
  });
});
