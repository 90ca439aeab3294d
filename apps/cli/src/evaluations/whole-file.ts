import { link, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/**
 * Writes a whole file or nothing. The text goes into a file beside it first, so that a kill in the middle leaves the earlier file as it was. Without
 * `replace`, throws a Failure if the file exists. `id` makes the name of the temporary file unique.
 */
export async function writeWhole(
  file: string,
  text: string,
  { id, replace }: { readonly id: string; readonly replace: boolean },
): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${id}`);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(temporary, text);
    // A link, unlike a rename, fails if the name is taken.
    await (replace ? rename(temporary, file) : link(temporary, file));
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw new Failure(EXIT.failed, `The file ${file} exists: choose another name, or give --replace.`);
    throw new Failure(EXIT.failed, `The file ${file} cannot be written (${code}): choose another place.`, { cause: error });
  } finally {
    await rm(temporary, { force: true });
  }
}
