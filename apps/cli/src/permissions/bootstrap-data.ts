import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { BOOTSTRAP_SECRET } from "./bootstrap-secrets.ts";

/** The folders of a data directory from which the Secrets are made. */
export interface BootstrapFolders {
  readonly logins: string;
  readonly keys: string;
}

const RECORD = "permissions.json";

/** Returns the files from which all Secrets can be made again: `permissions.json` and all key files, also those of people. */
export async function bootstrapFiles({ logins, keys }: BootstrapFolders): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(keys)).toSorted();
  const texts = await Promise.all(names.map(async (name) => [name, await readFile(path.join(keys, name), "utf8")] as const));
  return { [RECORD]: await readFile(path.join(logins, RECORD), "utf8"), ...Object.fromEntries(texts) };
}

/** Writes these files, with mode 0600. Throws a Failure if they are not those of a bootstrap. */
export async function restoreBootstrapFiles({ logins, keys }: BootstrapFolders, files: Readonly<Record<string, string>>): Promise<void> {
  if (files[RECORD] === undefined || !Object.keys(files).every((name) => /^\w[\w.-]*$/.test(name)))
    throw new Failure(EXIT.failed, `The Secret ${BOOTSTRAP_SECRET} is not of a bootstrap: keep what it holds elsewhere, and delete it.`);
  for (const folder of [logins, keys]) await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(files))
    await writeFile(path.join(name === RECORD ? logins : keys, name), text, { mode: 0o600 });
}
