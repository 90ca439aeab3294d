import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { type ApiKey, describeProblems, parseApiKeys } from "@toolbus/contracts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** The files of hashes that a start on this machine makes: the gateway's, with users and operators, and the approvals'. */
export function localHashFiles(dataDirectory: string): Readonly<Record<"gateway" | "approvals", string>> {
  const at = (name: string): string => path.join(dataDirectory, "keys", `${name}-api-keys.json`);
  return { gateway: at("gateway"), approvals: at("approvals") };
}

/** The file on this machine that a key of this role belongs into: approvers are known to approvals only. */
export function localHashFileFor(role: string, dataDirectory: string): string {
  const { gateway, approvals } = localHashFiles(dataDirectory);
  return role === "approver" ? approvals : gateway;
}

/** The entries of a file of hashes; null when there is no such file. Throws a Failure for one that cannot be used. */
export async function hashesIn(file: string): Promise<readonly ApiKey[] | null> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw usage(`--to ${file} cannot be read (${error.code ?? "unknown"}): name a file of hashes, or one that is not there yet.`);
  });
  if (text === null) return null;
  const keys = parseApiKeys(text);
  if (!keys.ok) throw usage(`--to ${file} is no file of API keys: ${describeProblems(keys.problems)}.`);
  return keys.value;
}

/** Writes a file of hashes, whole or not at all: a service that reads it at this moment gets one or the other. Throws a Failure. */
export async function writeHashes(file: string, entries: readonly ApiKey[]): Promise<void> {
  await written(file, async () => {
    await mkdir(path.dirname(path.resolve(file)), { recursive: true, mode: 0o700 });
    const draft = `${file}.${randomBytes(6).toString("hex")}`;
    await writeFile(draft, JSON.stringify(entries, null, 2), { mode: 0o600 });
    await rename(draft, file);
  });
}

/** Does what writes this file, and turns what the system says against it into a Failure with the remedy. */
export async function written(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    if (code === "EEXIST") throw usage(`There is a key at ${file} already: take another name, or remove the file.`);
    throw new Failure(EXIT.failed, `${file} cannot be written (${code}): make its folder writable for this user, or name another file.`);
  }
}

export function usage(words: string): Failure {
  return new Failure(EXIT.usage, words);
}
