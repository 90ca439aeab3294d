// Writes the generated files (pages of docs/, and the list of writes that ship), or with --check says which are not current and writes nothing.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { releaseToolset } from "@toolbus/tool-executor";
import { requirements } from "../tests/requirements.ts";
import { requirementsPage } from "./requirements-page.ts";

interface GeneratedPage {
  /** From the root of the repository. */
  readonly file: string;
  readonly render: () => string;
}

const pages: readonly GeneratedPage[] = [
  { file: "docs/requirements.md", render: () => requirementsPage(requirements) },
  { file: "services/tool-executor/enabled-tools.json", render: enabledTools },
];

const root = path.dirname(import.meta.dirname);
const checkOnly = process.argv.includes("--check");
const outdated = pages.filter(({ file, render }) => written(file) !== render());

for (const { file, render } of outdated) {
  if (checkOnly) {
    console.error(`${file} is not current: run "npm run docs" and commit the result.`);
    process.exitCode = 1;
  } else {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), render());
    console.log(`wrote ${file}`);
  }
}
if (outdated.length === 0) console.log(`${pages.length} generated page${pages.length === 1 ? " is" : "s are"} current`);

function written(file: string): string | null {
  try {
    return readFileSync(path.join(root, file), "utf8");
  } catch {
    return null;
  }
}

/** The writes of the toolsets that ship, by the hash of what they are: what a deployment of ours enables. No target is reached for it. */
function enabledTools(): string {
  const toolset = releaseToolset({ url: "http://127.0.0.1:9" });
  const writes = toolset.list().filter(({ definition }) => definition.kind === "write");
  const listed = writes.map(({ definition: { name, version }, hash }) => ({ tool: name, toolset: toolset.name, version, hash }));
  return `${JSON.stringify(listed, null, 2)}\n`;
}
