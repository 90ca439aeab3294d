import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Context } from "./context.ts";
import type { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";

/** The exit code if a file cannot be read: `EXIT.usage`, or `EXIT.failed` for a command whose exit code 2 is a finding, such as a regression. */
export type UnreadableCode = typeof EXIT.usage | typeof EXIT.failed;

/** Returns the text of the file at the typed path. `what` names it in the sentence of the Failure that is thrown if it cannot be read. */
export async function fileText(
  { around }: Pick<Context, "around">,
  typed: string,
  what: string,
  exitCode: UnreadableCode,
): Promise<string> {
  try {
    return await readFile(path.resolve(around.cwd, typed), "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new Failure(exitCode, `${what} ${typed} cannot be read (${code}): name a file that exists.`, { cause: error });
  }
}
