import { constants } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";

/** Returns the absolute path of a program, which it looks up in this PATH as a shell does. Returns null if it finds no executable program. */
export async function findCommand(
  command: string,
  { searchPath, cwd }: { readonly searchPath: string; readonly cwd: string },
): Promise<string | null> {
  const candidates = command.includes("/")
    ? [path.resolve(cwd, command)]
    : searchPath.split(path.delimiter).flatMap((directory) => (directory === "" ? [] : [path.join(directory, command)]));
  for (const candidate of candidates) {
    const runs = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return candidate;
  }
  return null;
}
