import { type FileHandle, open, rm } from "node:fs/promises";
import path from "node:path";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/**
 * Makes a new file that only the user can read, with what `write` puts into it. Throws a Failure if the file exists, so that no earlier export is lost,
 * and if it cannot be written. If `write` fails, the file is removed again, so that nobody takes a part for the whole.
 */
export async function newFile(file: string, folder: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const place = path.resolve(folder, file);
  const handle = await open(place, "wx", 0o600).catch((error: unknown) => {
    throw notWritten(error, file);
  });
  try {
    await write(handle);
    await handle.close();
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(place, { force: true });
    throw notWritten(error, file);
  }
}

/** Returns the sentence about an error of the file system, and other errors as they are. */
function notWritten(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return error;
  if (error.code === "EEXIST") return new Failure(EXIT.failed, `The file ${file} exists: choose another name, or remove it first.`);
  const what = error.code === "ENOSPC" ? "make room on its disk, or choose another place" : "choose another place";
  return new Failure(EXIT.failed, `The file ${file} cannot be written (${String(error.code)}): ${what}.`);
}
