import { readSeals } from "../http/answers.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";

/** Has approvals seal and sign what it stored again, with its current keys. Exits with 1 while something is left. */
export async function resealDocuments(context: Context): Promise<ExitCode> {
  const service = await context.approvals();
  const done = readSeals(await service.post("/v1/seals/again", {}));
  const { output } = context;
  const { resealed, left } = done;
  if (output.json) output.document(done);
  else output.lines([`${resealed} sealed again, ${left} left${left === 0 ? "" : ": they were changed meanwhile, run this again"}`]);
  return left === 0 ? EXIT.ok : EXIT.failed;
}
