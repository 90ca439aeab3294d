import {
  type ApprovalPlanned,
  attributes,
  MAX_PLAN_BYTES,
  message,
  messageIds,
  messageTypes,
  parser,
  Plan,
  topics,
} from "@toolbus/contracts";
import { canonicalJson, planHash, planProblemHash, signPlan } from "@toolbus/grants";
import type { InvokeContext } from "../calls/invoke-context.ts";
import { logThrown } from "../calls/log-thrown.ts";
import type { CheckedArguments } from "../calls/read-arguments.ts";
import { toolContext } from "../calls/handler-context.ts";
import { type Ran, runWithin } from "../calls/run-within.ts";
import type { ToolCall } from "../tool/tool-call.ts";
import { problemResult, ToolProblem } from "../tool/tool-problem.ts";
import type { WriteExecutor } from "../tool/toolset.ts";

/** A plan with its hash, or why there is none. */
export type MadePlan =
  | { readonly kind: "planned"; readonly plan: Plan; readonly hash: string }
  | { readonly kind: "failed"; readonly ran: Exclude<Ran<never>, { kind: "value" }> };

export type PlanAttempt = MadePlan | { readonly kind: "interrupted"; readonly why: "stopped" | "lost" };

/** Runs the handler `plan` of a write within the tool's time-out. The handler has no effect, so it may run as often as needed. */
export async function makePlan(
  call: ToolCall,
  executor: WriteExecutor,
  args: CheckedArguments,
  context: InvokeContext,
  lost?: AbortSignal,
): Promise<PlanAttempt> {
  const { definition, tool } = executor;
  const ran = await runWithin<Plan>(
    (signal) => tool.plan?.(args.value, toolContext(call, context, signal)) ?? unusable(`"${definition.name}" offers no plan`),
    {
      timeoutMs: definition.timeoutMs,
      signals: { cancelled: call.cancelled, stopped: call.stopped, ...(lost === undefined ? {} : { lost }) },
    },
  );
  logThrown(ran, "plan", call, context.log);
  if (ran.kind === "interrupted" && (ran.why === "stopped" || ran.why === "lost")) return { kind: "interrupted", why: ran.why };
  if (ran.kind !== "value") return { kind: "failed", ran };
  const read = readPlan(ran.value);
  if (typeof read !== "string") return { kind: "planned", plan: read, hash: planHash(read) };
  context.log.error({ tool: definition.name, why: read }, "a tool's plan cannot be used");
  return { kind: "failed", ran: { kind: "problem", problem: unusable(`The plan of "${definition.name}" ${read}`) } };
}

/** Returns whether approvals can use the outcome. Without a plan, only a problem that would stay the same is an answer. */
export function isAnswer(made: MadePlan): boolean {
  return made.kind === "planned" || (made.ran.kind === "problem" && !isPassing(made.ran.problem));
}

/**
 * Sends a plan, or the problem because of which there is none, to approvals. The toolset's key signs it. `drifted` is the round of the approved plan
 * that no longer holds.
 */
export async function publishPlan(
  call: ToolCall,
  { definition, hash: toolHash }: WriteExecutor,
  args: CheckedArguments,
  { toolset, signer, publish, clock, log }: InvokeContext,
  { made, drifted }: { readonly made: MadePlan; readonly drifted?: number },
): Promise<void> {
  if (!signer) throw new Error(`The toolset "${toolset.name}" has a write and no receipt key to sign what it would change.`);
  const { callId } = call;
  const problem = made.kind === "planned" ? undefined : problemOf(made.ran, definition.name);
  const at = clock();
  const round = drifted === undefined ? {} : { drifted };
  const said = made.kind === "planned" ? { plan: made.plan } : { problem: problem ?? "" };
  const body: ApprovalPlanned = { toolCallId: callId, toolName: definition.name, ...said, ...round };
  const hash = made.kind === "planned" ? made.hash : planProblemHash(problem ?? "");
  const claims = { callId, toolset: toolset.name, tool: definition.name, toolHash, argsHash: args.hash, planHash: hash, at, ...round };
  await publish(
    message({
      // Each delivery has its own answer, because an earlier one may have been for another state of the target.
      id: messageIds.other(`planned.${call.message.id}`, callId, call.count),
      topic: topics.approvalPlanned,
      type: messageTypes.approvalPlanned,
      source: `worker.${toolset.name}`,
      now: at,
      correlationId: callId,
      attributes: {
        [attributes.receipt]: await signPlan(claims, signer),
        [attributes.traceparent]: call.message.attributes[attributes.traceparent],
        [attributes.tracestate]: call.message.attributes[attributes.tracestate],
      },
      body,
    }),
  );
  log.info({ callId, tool: definition.name, ...(problem === undefined ? {} : { problem }), ...round }, "a write was planned");
}

const parsePlan = parser(Plan);

/** Returns the plan in its canonical form, or what is wrong with it. */
export function readPlan(value: unknown): Plan | string {
  try {
    const text = canonicalJson(value as Plan);
    const parsed = parsePlan(JSON.parse(text));
    if (!parsed.ok) return "is not an object with the objects before and after.";
    const bytes = Buffer.byteLength(text);
    return bytes <= MAX_PLAN_BYTES ? parsed.value : `has ${bytes} bytes, and ${MAX_PLAN_BYTES} are allowed. Return only what changes.`;
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return "has a value that JSON cannot represent.";
    throw error;
  }
}

function unusable(words: string): ToolProblem {
  return new ToolProblem("plan_unusable", words);
}

/** Returns whether the same question may get another answer soon. */
function isPassing({ code, options }: ToolProblem): boolean {
  return options.retryable ?? (code === "unavailable" || code === "rate_limited" || code === "timeout");
}

function problemOf(ran: Exclude<Ran<never>, { kind: "value" }>, tool: string): string {
  const words = ran.kind === "problem" ? (problemResult(ran.problem).error?.message ?? "") : "";
  return (words === "" ? `"${tool}" could not say what it would change.` : words).slice(0, 300).toWellFormed();
}
