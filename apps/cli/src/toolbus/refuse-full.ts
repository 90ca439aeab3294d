import { readdir } from "node:fs/promises";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";

/** Throws a Failure unless a command may make the folder: it does not exist yet, or it is empty. */
export async function refuseFull(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? [] : [String(error.code)]));
  if (names.length > 0) throw new Failure(EXIT.usage, `${folder} is not an empty folder, and was left as it is: name a new one.`);
}
