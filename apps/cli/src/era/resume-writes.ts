import { readEra } from "../http/answers.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { eraLines } from "./show-era.ts";

export interface ResumeOptions {
  readonly all?: true;
}

/** Allows writes to begin again in the named shards, or in all held shards. */
export async function resumeWrites(context: Context, shards: readonly string[], { all }: ResumeOptions): Promise<ExitCode> {
  if (all ? shards.length > 0 : shards.length === 0)
    throw new Failure(EXIT.usage, `Name the shards, or --all: "${SELF} era show" says which are held.`);
  const odd = shards.find((shard) => !/^[0-9a-f]{2}$/.test(shard));
  if (odd !== undefined)
    throw new Failure(
      EXIT.usage,
      `"${odd.slice(0, 40)}" is not a shard: a shard is two hex digits; "${SELF} era show" says which are held.`,
    );
  const service = await context.approvals();
  const era = readEra(await service.post("/v1/era/resume", all ? {} : { shards }));
  const { output, around } = context;
  if (output.json) output.document(era);
  else output.lines(eraLines(safeValue(era), around.now()));
  return EXIT.ok;
}
