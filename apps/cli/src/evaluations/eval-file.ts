import { type ReadResult, readSuiteResult, type SuiteResult } from "@toolbus/evals";
import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { fileText } from "../toolbus/file-text.ts";

/**
 * Returns the text of a file that an evaluation needs. Throws a Failure if it cannot be read. Its exit code is 1, because 2 would look like a
 * regression to a script.
 */
export function evalText(context: Pick<Context, "around">, typed: string, what: string): Promise<string> {
  return fileText(context, typed, what, EXIT.failed);
}

/** Returns the value, or throws its problem as a Failure. */
export function valueOf<T>(read: ReadResult<T>): T {
  if (read.ok) return read.value;
  throw new Failure(EXIT.failed, read.problem);
}

/** Returns the result in the file at the typed path. Throws a Failure with one sentence if it cannot be used. */
export async function resultIn(context: Pick<Context, "around">, typed: string): Promise<SuiteResult> {
  return valueOf(readSuiteResult(await evalText(context, typed, "The result file"), typed));
}
