import { rename, writeFile } from "node:fs/promises";
import type { Jwks } from "@toolbus/grants";

/**
 * Writes the public keys to the file that workers on this machine read (their JWKS_FILE). The write is atomic, because workers may read at any
 * moment, and other replicas may write at the same moment.
 */
export async function publishKeys(file: string, keys: Jwks): Promise<void> {
  if (file === "") return;
  const draft = `${file}.${process.pid}.draft`;
  await writeFile(draft, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o644 });
  await rename(draft, file);
}
