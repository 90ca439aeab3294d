import type { Json, JsonObject, Plan } from "@toolbus/contracts";
import type { Log } from "@toolbus/telemetry";
import { readOutcome } from "../calls/run-read.ts";
import { type Ran, runWithin } from "../calls/run-within.ts";
import { nobodyToAsk } from "../questions/question.ts";
import { noMedia } from "../tool/result-media.ts";
import type { ToolContext } from "../tool/tool.ts";
import { ToolProblem } from "../tool/tool-problem.ts";
import type { Executor } from "../tool/toolset.ts";
import { readPlan } from "../writes/plan-write.ts";

/** The outcome of one golden call. */
export type GoldenOutcome =
  /** `parts` are the handlers that ran. */
  | { readonly kind: "passed"; readonly parts: readonly string[] }
  /** `expected` is false if the author should look at the reason. */
  | { readonly kind: "not_called"; readonly why: string; readonly expected: boolean }
  | { readonly kind: "failed"; readonly code: string; readonly says: string; readonly error?: unknown };

/**
 * Runs the handlers of a tool that have no effect, one after another, each within the tool's time-out: `run` of a read or a compute, and `plan` and
 * `prepare` of a write. Checks their results as the worker checks those of a call.
 */
export async function runGoldenCall(
  executor: Executor,
  args: JsonObject,
  { log, random, signal }: { readonly log: Log; readonly random: (bytes: number) => Uint8Array; readonly signal: AbortSignal },
): Promise<GoldenOutcome> {
  const { definition, tool } = executor;
  const callId = `golden-${Buffer.from(random(8)).toString("hex")}`;
  const contextOf = (own: AbortSignal): ToolContext => ({
    callId,
    sessionId: "golden",
    signal: own,
    log: log.child({ golden: true, tool: definition.name }),
    progress: () => undefined,
    modelUsed: () => undefined,
    attach: noMedia.attach,
    ask: nobodyToAsk,
  });
  const within = <T>(work: (context: ToolContext) => ReturnType<Parameters<typeof runWithin<T>>[0]>): Promise<Ran<T>> =>
    runWithin<T>((own) => work(contextOf(own)), { timeoutMs: definition.timeoutMs, signals: { stopped: signal } });
  if (tool.kind !== "write") return judged(await within<Json>((context) => tool.run(args, context)), ["run"]);
  const planned = tool.plan !== undefined;
  if (planned) {
    const ran = await within<Plan>((context) => tool.plan?.(args, context) ?? new ToolProblem("plan_unusable", "There is no plan."));
    const read = ran.kind === "value" ? readPlan(ran.value) : null;
    if (typeof read === "string") return { kind: "failed", code: "plan_unusable", says: `the plan of "${definition.name}" ${read}` };
    if (ran.kind !== "value") return judged(ran, []);
  }
  return judged(await within<Json>((context) => tool.prepare(args, context)), planned ? ["plan", "prepare"] : ["prepare"]);

  function judged(ran: Ran<Json>, parts: readonly string[]): GoldenOutcome {
    if (ran.kind === "interrupted" && ran.why === "stopped")
      return { kind: "failed", code: "timeout", says: `the time for all golden calls ended before "${definition.name}" had answered.` };
    const { error } = readOutcome(ran, executor);
    if (error === undefined) return { kind: "passed", parts };
    return { kind: "failed", code: error.code, says: error.message, ...(ran.kind === "threw" ? { error: ran.error } : {}) };
  }
}
