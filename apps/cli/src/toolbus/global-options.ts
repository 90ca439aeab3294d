import path from "node:path";
import { type Command, Option } from "commander";
import { parseSpan } from "../terminal/duration.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import { localAddresses } from "./local-addresses.ts";

/** The options of every command, read and checked. */
export interface GlobalOptions {
  readonly url: string;
  readonly approvalsUrl: string;
  readonly key?: string;
  readonly keyFile?: string;
  readonly dataDirectory: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly colour: boolean;
  readonly timeoutMs: number | null;
}

export const DEFAULT_URL = "http://127.0.0.1:8080";
export const DEFAULT_APPROVALS_URL = "http://127.0.0.1:8081";

export function addGlobalOptions(program: Command): void {
  for (const [flags, description] of [
    ["--url <address>", `the gateway (TOOLBUS_URL; default that of the data directory's Toolbus, or ${DEFAULT_URL})`],
    ["--approvals-url <address>", `the approvals service (TOOLBUS_APPROVALS_URL; default as above, or ${DEFAULT_APPROVALS_URL})`],
    ["--key-file <file>", "a file with the key (else TOOLBUS_KEY, TOOLBUS_APPROVER_KEY, or the data directory's)"],
    ["--key <key>", "the key itself; other users of this machine can see it while the command runs"],
    ["--data <folder>", "the data directory of a Toolbus on this machine (DATA_DIR; default .toolbus)"],
    ["--timeout <time>", "give up after 30s, 5m or 1h; runs that were started continue"],
    ["--json", "print JSON and nothing else on standard output"],
    ["--quiet", "no progress output"],
    ["--no-color", "no colour (also NO_COLOR)"],
  ] as const) {
    // These options are hidden from commander's own list, because the program's help shows them after its commands.
    program.addOption(new Option(flags, description).hideHelp());
  }
}

interface Raw {
  readonly url?: string;
  readonly approvalsUrl?: string;
  readonly key?: string;
  readonly keyFile?: string;
  readonly data?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
  readonly timeout?: string;
}

/** Reads the options from the command line, and missing ones from the environment. Throws a Failure for invalid values. */
export function readGlobalOptions(
  raw: Raw,
  around: { readonly env: Readonly<Record<string, string | undefined>>; readonly cwd: string; readonly root: string },
): GlobalOptions {
  const { env, cwd, root } = around;
  const { key, keyFile } = raw;
  if (key !== undefined && keyFile !== undefined) throw usage("--key and --key-file exclude each other: give one of them.");
  const data = raw.data ?? env["DATA_DIR"];
  // The default is the directory that `npm start` uses, next to the source.
  const dataDirectory = data ? path.resolve(cwd, data) : path.join(root, ".toolbus");
  const { gateway = DEFAULT_URL, approvals = DEFAULT_APPROVALS_URL } = localAddresses(dataDirectory);
  return {
    url: address("--url", raw.url, "TOOLBUS_URL", env["TOOLBUS_URL"], gateway),
    approvalsUrl: address("--approvals-url", raw.approvalsUrl, "TOOLBUS_APPROVALS_URL", env["TOOLBUS_APPROVALS_URL"], approvals),
    ...(key === undefined ? {} : { key }),
    ...(keyFile === undefined ? {} : { keyFile: path.resolve(cwd, keyFile) }),
    dataDirectory,
    json: raw.json ?? false,
    quiet: raw.quiet ?? false,
    colour: raw.color ?? true,
    timeoutMs: raw.timeout === undefined ? null : span(raw.timeout),
  };
}

/**
 * Reads addresses separated by commas from the command line, or else from the environment. Returns an empty list if there are none. Throws a Failure
 * for an invalid address.
 */
export function addresses(flag: string, typed: string | undefined, variable: string, set: string | undefined): readonly string[] {
  const [name, text] = typed === undefined ? [variable, set ?? ""] : [flag, typed];
  const texts = text.split(",").map((one) => one.trim());
  return texts.filter((one) => one !== "").map((one) => address(name, one, name, undefined, "http://127.0.0.1:9000"));
}

function address(flag: string, typed: string | undefined, variable: string, set: string | undefined, otherwise: string): string {
  const [name, text] = typed !== undefined ? [flag, typed] : set ? [variable, set] : ["", otherwise];
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "" || url.hash !== "") {
    throw usage(`${name} needs an address such as ${otherwise}, not "${text.replace(/\/\/[^@/]*@/, "//…@")}".`);
  }
  return url.href.replace(/\/+$/, "");
}

function span(text: string): number {
  const ms = parseSpan(text);
  if (ms === null) throw usage(`--timeout needs a time such as 30s, 5m or 1h, not "${text}".`);
  return ms;
}

const usage = (message: string): Failure => new Failure(EXIT.usage, message);
