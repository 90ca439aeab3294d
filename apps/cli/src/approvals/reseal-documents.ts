import { readSeals } from "../http/answers.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";

/** Asks approvals to seal and sign its stored documents again with its current keys. Returns exit code 1 if some documents are left. */
export async function resealDocuments(context: Context): Promise<ExitCode> {
  const service = await context.approvals();
  const done = readSeals(await service.post("/v1/seals/again", {}));
  const { output } = context;
  const { resealed, left } = done;
  if (output.json) output.document(done);
  else output.lines([`${resealed} sealed again, ${left} left${left === 0 ? "" : ": they changed in the meantime, run this again"}`]);
  return left === 0 ? EXIT.ok : EXIT.failed;
}
