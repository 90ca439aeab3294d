import { mkdir } from "node:fs/promises";
import { tryLockDirectory } from "@toolbus/runtime";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/**
 * Makes the folder of an evaluation, and keeps other evaluations out of it until the returned value is disposed of or this process ends, also if it is
 * killed. Throws a Failure if an evaluation runs in the folder, or if the folder cannot be used.
 */
export async function ownFolder(folder: string): Promise<Disposable> {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(EXIT.failed, `The folder ${folder} cannot be used (${error.code ?? "unknown"}): name another one with --out.`, {
      cause: error,
    });
  });
  const lock = await tryLockDirectory(folder);
  if (lock === null)
    throw new Failure(
      EXIT.failed,
      `Another evaluation runs in the folder ${folder}: wait until it has ended, or name another folder with --out.`,
    );
  return { [Symbol.dispose]: () => lock.release() };
}
