// Writes the generated files: whole pages of docs/, parts of other pages, the exports of each package, the list of shipped writes and the schema of
// policies. With --check, it writes nothing and reports the outdated files. With --try, it executes the commands of the pages.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { ApprovalPolicyFile, compatibilityManifest, manifestText } from "@toolbus/contracts";
import { releaseToolset } from "@toolbus/tool-executor";
import { mutations } from "../tests/requirement-mutations/mutations.ts";
import { requirements } from "../tests/requirements.ts";
import { withSections } from "./generated-sections.ts";
import { inventory, inventoryPage } from "./inventory/inventory-page.ts";
import { mechanicsSections } from "./mechanics/sections.ts";
import { telemetrySections } from "./metrics-table.ts";
import { surfaceFiles, surfacePages } from "./public-surface.ts";
import { requirementsPage } from "./requirements-page.ts";
import { runPages } from "./try-pages.ts";

interface GeneratedPage {
  /** The path of the file, relative to the root of the repository. */
  readonly file: string;
  readonly render: () => string;
}

const root = path.dirname(import.meta.dirname);
// One compiler program renders the surfaces of all packages. It starts at most once, when a surface is first needed.
let surface: ReadonlyMap<string, string> | null = null;

const pages: readonly GeneratedPage[] = [
  { file: "docs/requirements.md", render: () => requirementsPage(requirements, mutations) },
  { file: "docs/mechanics.md", render: () => withSections(written("docs/mechanics.md") ?? "", mechanicsSections(root)) },
  { file: "docs/telemetry.md", render: () => withSections(written("docs/telemetry.md") ?? "", telemetrySections()) },
  { file: "docs/inventory.md", render: () => inventoryPage(inventory()) },
  { file: "services/tool-executor/enabled-tools.json", render: enabledTools },
  { file: "docs/approval-policy.schema.json", render: policySchema },
  { file: "docs/compatibility.json", render: () => manifestText(compatibilityManifest()) },
  ...surfaceFiles(root).map((file) => ({ file, render: () => publicSurface(file) })),
];

const HELP = `npm run docs                          writes the generated pages
npm run docs -- --check               names the outdated ones, and writes nothing
npm run docs -- --try [PAGE...]       runs the commands of the README, CONTRIBUTING and docs/*.md, or of these pages

  --json   with --try: print one JSON document instead of lines; "npm run -s docs" leaves out npm's own lines
  --help   show this help

--try runs each command of a page in a copy of this checkout, on its own ports. If the page names Redis, RabbitMQ or NATS, --try starts a private server.
The server's program must be on the PATH, or Docker must be available. --try prints one line per command: ok, failed, or not run and the reason. It exits
with 1 if a command failed or if no command was run. docs/testing.md explains how a page marks its commands.
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const read = readArguments(process.argv.slice(2));
  if (!read.ok) {
    console.error(read.message);
    return 2;
  }
  if (read.help) {
    process.stdout.write(HELP);
    return 0;
  }
  return read.try ? runPages(root, read.pages, { json: read.json }) : writePages(read.check);
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        try: { type: "boolean", default: false },
        check: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (!values.try && (positionals.length > 0 || values.json)) throw new Error("Pages and --json go with --try.");
    if (values.try && values.check) throw new Error("--try and --check exclude each other.");
    return { ok: true, ...values, pages: positionals } as const;
  } catch (error) {
    return { ok: false, message: `${error instanceof Error ? error.message : String(error)} See: npm run docs -- --help` } as const;
  }
}

/** Writes or checks the pages, and returns the exit code. */
function writePages(checkOnly: boolean): number {
  const outdated = pages.filter(({ file, render }) => written(file) !== render());
  for (const { file, render } of outdated) {
    if (checkOnly) {
      console.error(`${file} is not current: run "npm run docs" and commit the result.`);
    } else {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), render());
      console.log(`wrote ${file}`);
    }
  }
  if (outdated.length === 0) console.log(`${pages.length} generated page${pages.length === 1 ? " is" : "s are"} current`);
  return checkOnly && outdated.length > 0 ? 1 : 0;
}

function written(file: string): string | null {
  try {
    return readFileSync(path.join(root, file), "utf8");
  } catch {
    return null;
  }
}

function publicSurface(file: string): string {
  surface ??= surfacePages(root);
  return surface.get(file) ?? "";
}

/** Returns the schema of policy files, for editors and other programs. */
function policySchema(): string {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The policy of Toolbus approvals",
    ...ApprovalPolicyFile,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/**
 * Returns the writes of the shipped toolsets, by the hash of their definitions. Our deployments enable exactly these writes. This function contacts
 * no target system.
 */
function enabledTools(): string {
  const toolset = releaseToolset({ url: "http://127.0.0.1:9" });
  const writes = toolset.list().filter(({ definition }) => definition.kind === "write");
  const listed = writes.map(({ definition: { name, version }, hash }) => ({ tool: name, toolset: toolset.name, version, hash }));
  return `${JSON.stringify(listed, null, 2)}\n`;
}
