import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { type ApiKey, describeProblems, parseApiKeys } from "@toolbus/contracts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** The hash files that a start on this machine makes: the gateway's, with users and operators, and the approvals'. */
export function localHashFiles(dataDirectory: string): Readonly<Record<"gateway" | "approvals", string>> {
  const at = (name: string): string => path.join(dataDirectory, "keys", `${name}-api-keys.json`);
  return { gateway: at("gateway"), approvals: at("approvals") };
}

/** The file on this machine for a key of this role: only approvals knows approvers. */
export function localHashFileFor(role: string, dataDirectory: string): string {
  const { gateway, approvals } = localHashFiles(dataDirectory);
  return role === "approver" ? approvals : gateway;
}

/** The entries of a hash file; null if the file does not exist. Throws a Failure for an invalid one. */
export async function hashesIn(file: string): Promise<readonly ApiKey[] | null> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw usage(`--to ${file} cannot be read (${error.code ?? "unknown"}): name a hash file, or a file that does not exist yet.`);
  });
  if (text === null) return null;
  const keys = parseApiKeys(text);
  if (!keys.ok) throw usage(`--to ${file} is not a file of API keys: ${describeProblems(keys.problems)}.`);
  return keys.value;
}

/** Writes a hash file atomically: a service that reads it at this moment gets the old or the new one. Throws a Failure. */
export async function writeHashes(file: string, entries: readonly ApiKey[]): Promise<void> {
  await written(file, async () => {
    await mkdir(path.dirname(path.resolve(file)), { recursive: true, mode: 0o700 });
    const draft = `${file}.${randomBytes(6).toString("hex")}`;
    await writeFile(draft, JSON.stringify(entries, null, 2), { mode: 0o600 });
    await rename(draft, file);
  });
}

/** Runs the writing of this file, and turns a system error into a Failure with the remedy. */
export async function written(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    if (code === "EEXIST") throw usage(`There is already a key at ${file}: choose another name, or remove the file.`);
    throw new Failure(EXIT.failed, `${file} cannot be written (${code}): make its folder writable for this user, or name another file.`);
  }
}

export function usage(words: string): Failure {
  return new Failure(EXIT.usage, words);
}
