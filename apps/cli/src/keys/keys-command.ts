import { chmod, copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { type LocalKeys, localKeys } from "@toolbus/all-in-one";
import { PERSON_ROLES } from "@toolbus/contracts";
import { toolsetsWithKeys, workerKeyFile } from "@toolbus/runtime";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

export interface KeysOptions {
  readonly show?: true;
  readonly gatewayFile?: string;
  readonly approvalsFile?: string;
  /** Names of toolsets, separated by commas. */
  readonly toolsets?: string;
  /** Entries in the form `service=folder`. */
  readonly give?: readonly string[];
}

/** Makes the keys in the data directory, or finds existing ones. It prints a key only on request, because logs often contain output. */
export async function keys({ options, output }: Context, given: KeysOptions): Promise<ExitCode> {
  const toolsets = toolsetsOf(given.toolsets);
  const directory = path.join(options.dataDirectory, "keys");
  const made = await localKeys(directory, { toolsets });
  const own = await toolsetsWithKeys(made.services);
  if (given.gatewayFile !== undefined) await copyTo(made.gatewayKeysFile, given.gatewayFile, "--gateway-file");
  if (given.approvalsFile !== undefined) await copyTo(made.approvalsKeysFile, given.approvalsFile, "--approvals-file");
  for (const gift of given.give ?? []) await give(made, own, gift);
  if (output.json) output.document(documentOf(made, own, directory, given));
  else
    output.lines([
      ...PERSON_ROLES.map((role) => `${role.padEnd(9)} ${given.show ? made[role] : path.join(directory, `${role}.key`)}`),
      "",
      ...serviceLines(made, own),
    ]);
  return EXIT.ok;
}

function toolsetsOf(typed: string | undefined): readonly string[] {
  const named = (typed ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  const odd = named.find((name) => !/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name));
  if (odd !== undefined)
    throw new Failure(EXIT.usage, `"${odd.slice(0, 40)}" is not a valid toolset name: use lower-case letters, digits, - and _.`);
  return named;
}

/** Maps the settings of services to their files. */
function serviceLines({ services, gatewayKeysFile, approvalsKeysFile }: LocalKeys, own: readonly string[]): string[] {
  const rows: readonly (readonly [setting: string, file: string, note?: string])[] = [
    ["GATEWAY_API_KEYS_FILE", gatewayKeysFile],
    ["GATEWAY_KEY_FILE", services.gateway],
    ["AGENT_KEY_FILE", services.agent],
    ["APPROVALS_API_KEYS_FILE", approvalsKeysFile],
    ["APPROVALS_KEY_FILE", services.approvals],
    ["APPROVALS_SEAL_KEYS_FILE", services.seals, "needed with every backup of the store"],
    ["RECEIPT_KEY_FILE", services.receipts],
    ...own.map((toolset) => ["RECEIPT_KEY_FILE", workerKeyFile(services, toolset), `toolset ${toolset}`] as const),
    ["SERVICE_KEYS_FILE", services.trusted, "public, for every service"],
  ];
  return rows.map(([setting, file, note]) => `${setting.padEnd(24)} ${file}${note === undefined ? "" : ` (${note})`}`);
}

/** Copies only the files that one service needs into a folder that only this service can read. */
async function give(made: LocalKeys, own: readonly string[], gift: string): Promise<void> {
  const [service = "", folder = ""] = gift.split(/=(.*)/s, 2);
  const { services } = made;
  const needed: Readonly<Record<string, readonly string[]>> = {
    gateway: [services.gateway, made.gatewayKeysFile],
    agent: [services.agent],
    approvals: [services.approvals, services.seals, made.approvalsKeysFile],
    worker: [services.receipts],
    people: PERSON_ROLES.map((role) => path.join(services.directory, `${role}.key`)),
    ...Object.fromEntries(own.map((toolset) => [`worker.${toolset}`, [workerKeyFile(services, toolset)]])),
  };
  const files = Object.hasOwn(needed, service) ? needed[service] : undefined;
  if (!files || folder === "")
    throw new Failure(
      EXIT.usage,
      `--give needs service=folder, and the service is one of ${Object.keys(needed).join(", ")}, not "${gift.slice(0, 80)}".`,
    );
  for (const file of service === "people" ? files : [...files, services.trusted])
    await copyTo(file, path.join(folder, path.basename(file)), "--give");
}

function documentOf(
  made: LocalKeys,
  own: readonly string[],
  directory: string,
  { show, gatewayFile, approvalsFile }: Pick<KeysOptions, "show" | "gatewayFile" | "approvalsFile">,
): object {
  const { directory: _, ...services } = made.services;
  return {
    ...Object.fromEntries(
      PERSON_ROLES.map((role) => [role, { file: path.join(directory, `${role}.key`), ...(show ? { key: made[role] } : {}) }]),
    ),
    gatewayKeysFile: gatewayFile ?? made.gatewayKeysFile,
    approvalsKeysFile: approvalsFile ?? made.approvalsKeysFile,
    services: { ...services, workers: Object.fromEntries(own.map((toolset) => [toolset, workerKeyFile(made.services, toolset)])) },
  };
}

async function copyTo(from: string, to: string, flag: string): Promise<void> {
  try {
    await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
    await copyFile(from, to);
    await chmod(to, 0o600);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new Failure(
      EXIT.failed,
      `${flag} ${to} cannot be written (${code}): make its folder writable for this user, or name another file.`,
    );
  }
}
