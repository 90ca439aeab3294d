import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import type { LocalKeys } from "@toolbus/all-in-one";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

export interface KeysOptions {
  readonly show?: true;
  readonly gatewayFile?: string;
  readonly approvalsFile?: string;
}

const ROLES = ["user", "operator", "approver"] as const;

/** Makes the keys of the data directory, or finds them there. A key is printed only when that was asked for: output ends in logs. */
export async function keys({ options, output }: Context, given: KeysOptions): Promise<ExitCode> {
  const { localKeys } = await import("@toolbus/all-in-one");
  const directory = path.join(options.dataDirectory, "keys");
  const made = await localKeys(directory);
  if (given.gatewayFile !== undefined) await copyTo(made.gatewayKeysFile, given.gatewayFile, "--gateway-file");
  if (given.approvalsFile !== undefined) await copyTo(made.approvalsKeysFile, given.approvalsFile, "--approvals-file");
  if (output.json) output.document(documentOf(made, directory, given));
  else output.lines(ROLES.map((role) => `${role.padEnd(9)} ${given.show ? made[role] : path.join(directory, `${role}.key`)}`));
  return EXIT.ok;
}

function documentOf(made: LocalKeys, directory: string, { show, gatewayFile, approvalsFile }: KeysOptions): object {
  return {
    ...Object.fromEntries(ROLES.map((role) => [role, { file: path.join(directory, `${role}.key`), ...(show ? { key: made[role] } : {}) }])),
    gatewayKeysFile: gatewayFile ?? made.gatewayKeysFile,
    approvalsKeysFile: approvalsFile ?? made.approvalsKeysFile,
  };
}

async function copyTo(from: string, to: string, flag: string): Promise<void> {
  try {
    await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
    await copyFile(from, to);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new Failure(
      EXIT.failed,
      `${flag} ${to} cannot be written (${code}): make its folder writable for this user, or name another file.`,
    );
  }
}
