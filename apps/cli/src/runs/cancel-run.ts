import { readRun } from "../http/answers.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { idOf } from "../toolbus/ids.ts";
import { SELF } from "../toolbus/self.ts";

/** Asks the gateway to cancel a run. No new call begins. The run ends when the writes that were already sent have answers. */
export async function cancelRun(context: Context, typed: string | undefined): Promise<ExitCode> {
  const runId = idOf("run", typed);
  const gateway = await context.gateway();
  const headers = { "idempotency-key": context.around.newId() };
  const run = readRun(await gateway.post(`/v1/runs/${runId}/cancel`, {}, headers));
  const { output } = context;
  if (output.json) output.document(run);
  else if (run.status === "cancelled") output.lines([`${runId} is cancelled.`]);
  else output.lines([`${runId} is being cancelled (${safeText(run.status)}): ${SELF} runs watch ${runId}`]);
  return EXIT.ok;
}
