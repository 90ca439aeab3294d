// Writes the generated pages of docs/, or with --check says which are not current and writes nothing.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { requirements } from "../tests/requirements.ts";
import { requirementsPage } from "./requirements-page.ts";

interface GeneratedPage {
  /** From the root of the repository. */
  readonly file: string;
  readonly render: () => string;
}

const pages: readonly GeneratedPage[] = [{ file: "docs/requirements.md", render: () => requirementsPage(requirements) }];

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
