import { failedResult, type Json, type ToolResult } from "@toolbus/contracts";
import { toolContext } from "./handler-context.ts";
import type { InvokeContext, Outcome } from "./invoke-context.ts";
import { type Ran, runWithin } from "./run-within.ts";
import { type ToolCall, withRecord } from "../tool/tool-call.ts";
import { keptResult, outputResult } from "../tool/tool-output.ts";
import { noMedia, resultMedia } from "../tool/result-media.ts";
import { logNothing, logNotJson, logThrown } from "./log-thrown.ts";
import { problemResult, ToolProblem, unexpectedResult } from "../tool/tool-problem.ts";
import type { Pass } from "../protection/protection.ts";
import { askPerson, askUntil } from "../questions/ask-person.ts";
import type { ReadTool } from "../tool/tool.ts";
import type { CheckedArguments } from "./read-arguments.ts";
import type { Executor } from "../tool/toolset.ts";

/**
 * Runs a read or a compute within its time-out, and returns its result. One transient failure to reach the target is retried silently. The call is
 * not recorded, so the same invoke may run again, here or elsewhere.
 */
export async function runRead(
  call: ToolCall,
  executor: Executor<ReadTool>,
  args: CheckedArguments,
  context: InvokeContext,
): Promise<Outcome> {
  const { clock, monotonic, toolset, protection } = context;
  if (call.notAfter !== undefined && clock() > call.notAfter) return { kind: "drop", reason: "it came after its not-after" };
  const { hasCheck } = toolset;
  const entry = await protection.enter({ definition: executor.definition, hasCheck, signals: [call.stopped, call.cancelled] });
  if (entry.kind !== "entered") {
    if (entry.kind === "refused") entry.pass.leave();
    return { kind: "answer", result: withRecord(call, problemResult(entry.problem), 1, monotonic) };
  }
  try {
    return await runEntered(call, executor, args, context, entry.pass);
  } finally {
    entry.pass.leave();
  }
}

async function runEntered(
  call: ToolCall,
  executor: Executor<ReadTool>,
  args: CheckedArguments,
  context: InvokeContext,
  pass: Pass,
): Promise<Outcome> {
  const { monotonic, state, maxContentBytes } = context;
  // The time is counted from here and not from the delivery, so a call that waited for another call still has all of its time.
  const began = monotonic();
  const questions = askPerson(call, executor.definition, context, { leftMs: timeLeft, timeoutMs: executor.definition.timeoutMs });
  await questions.begin();
  let attempt = 1;
  let media = noMedia;
  let ran = await runOnce();
  if (isTransient(ran) && timeLeft() > 0 && pass.mayRepeat()) {
    attempt = 2;
    ran = await runOnce();
  }
  if (ran.kind === "interrupted" && ran.why === "stopped") return { kind: "retry", after: 0, reason: "the worker stops" };
  if (ran.kind === "value") logNothing(ran.value, "run", call, context.log);
  const outcome = readOutcome(ran, executor, (error) => logNotJson(error, "run", call, context.log));
  return {
    kind: "answer",
    result: withRecord(call, await keptResult(outcome, { state, maxBytes: maxContentBytes, media }), attempt, monotonic),
  };

  async function runOnce(): Promise<Ran<Json>> {
    // A second attempt returns its own media.
    const own = (media = resultMedia(maxContentBytes));
    const ran = await runWithin(
      (signal) =>
        executor.tool.run(args.value, toolContext(call, context, signal, { attach: own.attach, ask: askUntil(questions, signal) })),
      { timeoutMs: timeLeft(), signals: { cancelled: call.cancelled, stopped: call.stopped } },
    );
    pass.saw(ran);
    return logThrown(ran, "run", call, context.log);
  }

  function timeLeft(): number {
    return executor.definition.timeoutMs - (monotonic() - began);
  }
}

/** Returns the result for a handler's outcome if the call has not sent any effect. Passes on why a value is not JSON. */
export function readOutcome(ran: Ran<Json>, { definition }: Executor, onNotJson: (error: unknown) => void = () => undefined): ToolResult {
  switch (ran.kind) {
    case "value":
      return outputOrFailure(ran.value, onNotJson);
    case "problem":
      return problemResult(ran.problem);
    case "threw":
      return unexpectedResult(ran.error, definition.name);
    case "interrupted":
      if (ran.why === "timeout")
        return failedResult("timeout", `The tool "${definition.name}" did not answer within ${definition.timeoutMs} ms.`);
      return failedResult("cancelled", `The call of "${definition.name}" was cancelled before it had an effect.`);
  }
}

function outputOrFailure(value: Json, onNotJson: (error: unknown) => void): ToolResult {
  try {
    return outputResult(value);
  } catch (error) {
    onNotJson(error);
    return failedResult("execution_failed", "The tool returned a value that is not JSON.");
  }
}

function isTransient(ran: Ran<Json>): boolean {
  return (
    ran.kind === "problem" &&
    ran.problem instanceof ToolProblem &&
    ran.problem.code === "unavailable" &&
    ran.problem.options.retryable !== false &&
    ran.problem.options.retryAfter === undefined
  );
}
