import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { type ApiKey, describeProblems, parseApiKeys } from "@toolbus/contracts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/**
 * Returns the hash files of a Toolbus on this machine. The gateway's file has the keys of users and operators, and the approvals
 * file has those of approvers.
 */
export function localHashFiles(dataDirectory: string): Readonly<Record<"gateway" | "approvals", string>> {
  const at = (name: string): string => path.join(dataDirectory, "keys", `${name}-api-keys.json`);
  return { gateway: at("gateway"), approvals: at("approvals") };
}

/** Returns the hash file on this machine for a key of this role. Only approvals reads the keys of approvers. */
export function localHashFileFor(role: string, dataDirectory: string): string {
  const { gateway, approvals } = localHashFiles(dataDirectory);
  return role === "approver" ? approvals : gateway;
}

/** Returns the entries of a hash file, or null if the file does not exist. Throws a Failure for an invalid file. */
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

/** Writes a hash file atomically, so that a service reads either the old or the new content. Throws a Failure if the file cannot be written. */
export async function writeHashes(file: string, entries: readonly ApiKey[]): Promise<void> {
  await written(file, async () => {
    await mkdir(path.dirname(path.resolve(file)), { recursive: true, mode: 0o700 });
    const draft = `${file}.${randomBytes(6).toString("hex")}`;
    await writeFile(draft, JSON.stringify(entries, null, 2), { mode: 0o600 });
    await rename(draft, file);
  });
}

/** Runs a function that writes this file, and turns a system error into a Failure with the remedy. */
export async function written(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    if (code === "EEXIST")
      throw usage(`There is already a key at ${file}: choose another name, or remove the file if no service knows its key any more.`);
    throw new Failure(EXIT.failed, `${file} cannot be written (${code}): make its folder writable for this user, or name another file.`);
  }
}

export function usage(words: string): Failure {
  return new Failure(EXIT.usage, words);
}
