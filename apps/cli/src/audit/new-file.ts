import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** Opens a new file that only the user can read. Throws a Failure if the file exists, so that no earlier export is lost. */
export async function newFile(file: string, folder: string): Promise<FileHandle> {
  try {
    return await open(path.resolve(folder, file), "wx", 0o600);
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw new Failure(EXIT.failed, `The file ${file} exists: choose another name, or remove it first.`);
    throw new Failure(EXIT.failed, `The file ${file} cannot be written (${code}): choose another place.`);
  }
}
