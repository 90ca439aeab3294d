import { newFile } from "../audit/new-file.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";
import { recordOf } from "./read-record.ts";

/** Writes everything that is needed to play a run again, to a new file or to standard output. */
export async function recordRun(context: Context, typed: string | undefined, out: string | undefined): Promise<ExitCode> {
  const { output, around } = context;
  const record = await recordOf(context, typed);
  if (out === undefined) output.document(record);
  else {
    await newFile(out, around.cwd, (handle) => handle.writeFile(`${JSON.stringify(record)}\n`));
    if (output.json) output.document({ runId: record.run.runId, file: out, leftOut: record.leftOut });
    else output.note(`The run is in ${out}. Play it again with "${SELF} runs replay --file ${out}".`);
  }
  for (const left of record.leftOut) output.note(left);
  return EXIT.ok;
}
