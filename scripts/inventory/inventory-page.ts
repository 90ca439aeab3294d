import path from "node:path";
import { agent } from "@toolbus/agent";
import { approvals } from "@toolbus/approvals";
import { problemCodes, toolErrors } from "@toolbus/contracts";
import { gateway } from "@toolbus/gateway";
import { processSettings } from "@toolbus/runtime";
import { toolExecutor } from "@toolbus/tool-executor";
import { type SourceFile, sourceFiles } from "../../tests/workspace-source.ts";
import { markdownTable } from "../markdown-table.ts";
import { productFiles, usersOf } from "./users-of.ts";

/** A setting, option or code, with the files that use it. */
export interface Item {
  readonly name: string;
  /** Further cells of the item's row in the table. */
  readonly about: readonly string[];
  readonly users: readonly string[];
}

/** All settings, options and codes of the product, by name. A test fails if nothing uses one of them. */
export interface Inventory {
  readonly settings: readonly Item[];
  readonly toolErrors: readonly Item[];
  readonly problems: readonly Item[];
  readonly options: readonly Item[];
}

/** Reads the inventory from the current source. */
export function inventory(files: readonly SourceFile[] = productFiles(sourceFiles())): Inventory {
  return { settings: settingsOf(files), toolErrors: toolErrorsOf(files), problems: problemsOf(files), options: optionsOf(files) };
}

/** Renders the page `docs/inventory.md`. */
export function inventoryPage({ settings, toolErrors: errors, problems, options }: Inventory): string {
  return `# Inventory

\`npm run docs\` generates this page from the source, so do not edit it. It lists every setting, option and error code, with the files that use it.
\`tests/inventory.test.ts\` fails if one of them has no user. The \`api.md\` of each package lists the package's exports.

## Settings

${counts(settings)}

${tableOf(["Setting", "Service", "Read in"], settings)}

## Options of the command line

${counts(options)}

${tableOf(["Option", "Declared in", "Read in"], options)}

## Codes of failed tool calls

${counts(errors)} [errors.md](errors.md) explains each code.

${tableOf(["Code", "Used in"], errors)}

## Codes of HTTP problems

${counts(problems)}

${tableOf(["Code", "Status", "Used in"], problems)}
`;
}

const SERVICES = { gateway, agent, approvals, workers: toolExecutor, "every process": { settings: processSettings } };

function settingsOf(files: readonly SourceFile[]): readonly Item[] {
  const of = Object.entries(SERVICES).flatMap(([service, { settings }]) => Object.keys(settings).map((name) => ({ name, service })));
  return [...Map.groupBy(of, ({ name }) => name)]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, services]) => {
      const declaredIn = files.filter(({ text }) => new RegExp(`^ +${name}: [\\w.]+\\(`, "m").test(text)).map(({ file }) => file);
      const elsewhere = usersOf(name, files, declaredIn);
      // Some settings are also read in the file that declares them.
      const there = declaredIn.filter((file) => timesNamed(name, files, file) > 1);
      return {
        name,
        about: [services.map(({ service }) => service).join(", ")],
        users: [...elsewhere, ...there, ...readAsFileOf(name, files)],
      };
    });
}

/** Returns the files that read the `_FILE` form of a variable. They read it under a composed name: `config[`${variable}_FILE`]`. */
function readAsFileOf(name: string, files: readonly SourceFile[]): readonly string[] {
  const variable = /^(\w+)_FILE$/.exec(name)?.[1];
  if (variable === undefined) return [];
  return files.filter(({ text }) => text.includes("config[`${variable}_FILE`]") && text.includes(` ${variable}: `)).map(({ file }) => file);
}

function timesNamed(name: string, files: readonly SourceFile[], wanted: string): number {
  const text = files.find(({ file }) => file === wanted)?.text ?? "";
  return [...text.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length;
}

// These files only list every code.
const TABLES = [
  "packages/contracts/src/error-codes.ts",
  "packages/tool-kit/src/tool/tool-problem.ts",
  "packages/runtime/src/http/problem.ts",
  "packages/runtime/src/http/openapi.ts",
];

function toolErrorsOf(files: readonly SourceFile[]): readonly Item[] {
  // Some files only read a code to describe it. They are not users of the code.
  const givers = files.filter(({ file }) => !/^apps\/|^packages\/models\//.test(file));
  return Object.keys(toolErrors).map((name) => ({ name, about: [], users: quoting(name, givers) }));
}

function problemsOf(files: readonly SourceFile[]): readonly Item[] {
  const givers = files.filter(({ file }) => /^packages\/runtime\/|^services\/(?:gateway|approvals)\//.test(file));
  return Object.entries(problemCodes).map(([name, status]) => ({ name, about: [String(status)], users: quoting(name, givers) }));
}

/** Returns the files that contain the code as a string literal or as a field name. */
function quoting(code: string, files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ file, text }) => !TABLES.includes(file) && new RegExp(`"${code}"|^ +${code}: `, "m").test(text))
    .map(({ file }) => file);
}

function optionsOf(files: readonly SourceFile[]): readonly Item[] {
  const cli = files.filter(({ file }) => file.startsWith("apps/cli/"));
  const declared = cli.flatMap(({ file, text }) =>
    [...text.matchAll(/(?:\.option|new Option)\(\s*"(?:-\w, )?--(?:no-)?([a-z-]+)/g)].map(([, name = ""]) => ({ name, file })),
  );
  return [...Map.groupBy(declared, ({ name }) => name)]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, places]) => {
      const key = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      return { name: `--${name}`, about: [namesOf(places.map(({ file }) => file))], users: usersOf(key, cli, []) };
    });
}

function counts(items: readonly Item[]): string {
  return `There are ${items.length}, and each has a user.`;
}

function tableOf(head: readonly string[], items: readonly Item[]): string {
  return markdownTable(
    head,
    items.map(({ name, about, users }) => [`\`${name}\``, ...about, shown(users)]),
  );
}

/** Returns links to the first few users, which prove that the item is used and show where to start reading. */
function shown(users: readonly string[]): string {
  const more = users.length - SHOWN;
  return `${namesOf(users.slice(0, SHOWN))}${more > 0 ? ` and ${more} more` : ""}`;
}

const SHOWN = 3;

function namesOf(files: readonly string[]): string {
  return [...new Set(files)].map((file) => `[${path.basename(file)}](../${file})`).join(", ");
}
