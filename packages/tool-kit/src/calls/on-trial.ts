import { failedResult, type ToolResult } from "@toolbus/contracts";
import type { InvokeContext, Outcome } from "./invoke-context.ts";
import type { ToolCall } from "../tool/tool-call.ts";

/**
 * Runs a call, unless workers crashed while they ran it. In this case `crashed` is true, and the work ends the call without running its tool. The
 * message is kept as a dead letter, in which an operator can read the arguments.
 */
export async function onTrial(
  call: ToolCall,
  { suspects, log }: Pick<InvokeContext, "suspects" | "log">,
  work: (crashed: boolean) => Promise<Outcome>,
): Promise<Outcome> {
  const trial = await suspects.begin(call);
  switch (trial.kind) {
    case "busy":
      return { kind: "retry", after: trial.forMs, reason: "another worker runs the call" };
    case "quarantined": {
      const outcome = await work(true);
      // If the call was done before the worker crashed, the answer is its result.
      if (outcome.kind !== "answer" || !outcome.result.isError) return outcome;
      const { callId, toolName: tool } = call;
      log.error(
        { callId, tool, deaths: trial.deaths, endsAs: outcome.result.error?.code },
        "a call is not run again: the workers that ran it went down",
      );
      return { ...outcome, letter: `the workers that ran "${tool}" with these arguments went down` };
    }
    case "run":
      // A promise that the tool forgot to await may crash the process after the tool has returned, so the attempt ends with the delivery.
      call.mark.end = trial.end;
      return work(false);
  }
}

/** Returns the result that the model reads for a call that is not run again. */
export function crashedResult(tool: string, more = ""): ToolResult {
  const says = `The workers that ran "${tool}" with these arguments went down, so it is not run again.`;
  return failedResult("worker_crashed", more === "" ? says : `${says} ${more}`);
}
