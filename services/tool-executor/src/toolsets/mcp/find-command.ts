import { constants } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";

/** The absolute path of a program, looked up as a shell does in this PATH; null if there is no executable one. */
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
