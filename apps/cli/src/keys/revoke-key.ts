import { rm } from "node:fs/promises";
import path from "node:path";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { hashesIn, localHashFiles, usage, writeHashes } from "./hash-file.ts";

/**
 * Revokes a key by its name. Services that read the file refuse the key within seconds, also when a client reopens a stream. Throws a Failure if the
 * key does not exist or cannot be revoked.
 */
export async function revokeKey({ options, output }: Context, name: string, to: string | undefined): Promise<ExitCode> {
  if (name.startsWith("local-") && !to)
    throw usage(
      `The key "${name}" is made at each start: to replace it, stop Toolbus, delete ${path.join(options.dataDirectory, "keys", `${name.slice("local-".length)}.key`)} and start again.`,
    );
  const files = to ? [to] : Object.values(localHashFiles(options.dataDirectory));
  const holding: string[] = [];
  for (const file of files) {
    const keys = await hashesIn(file);
    if (!keys?.some(({ id }) => id === name)) continue;
    await writeHashes(
      file,
      keys.filter(({ id }) => id !== name),
    );
    holding.push(file);
  }
  if (holding.length === 0) throw new Failure(EXIT.notFound, `There is no key "${name.slice(0, 80)}" in ${files.join(" or ")}.`);
  // No service accepts the key any more, so the command also deletes the copy on this machine.
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)) await rm(path.join(options.dataDirectory, "keys", `${name}.key`), { force: true });
  if (output.json) output.document({ id: name, files: holding, revoked: true });
  else output.lines([`The key "${name}" is revoked.`]);
  output.note(`A service that reads ${holding.join(" or ")} refuses it within a few seconds.`);
  return EXIT.ok;
}
