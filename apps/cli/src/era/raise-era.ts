import { FIRST_ERA } from "@toolbus/contracts";
import { readEra } from "../http/answers.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { eraLines } from "./show-era.ts";

export interface RaiseOptions {
  readonly reason: string;
  readonly hold?: true;
  readonly replace?: true;
}

/** Raises the era. The request names the current era, so that a repeat after a lost answer does not raise it twice. */
export async function raiseEra(context: Context, { reason, hold, replace }: RaiseOptions): Promise<ExitCode> {
  const service = await context.approvals();
  // With `--replace` the stored era may be forged, so its number is meaningless and the request names the first era.
  const { era } = replace ? { era: FIRST_ERA } : readEra(await service.get("/v1/era"));
  const wanted = { era, reason, ...(hold ? { hold } : {}), ...(replace ? { replace } : {}) };
  const raised = readEra(await service.post("/v1/era/raise", wanted));
  const { output, around } = context;
  if (output.json) output.document(raised);
  else output.lines(eraLines(safeValue(raised), around.now()));
  return EXIT.ok;
}
