import { failedResult, type Json, type PlanRef, type ToolResult } from "@toolbus/contracts";
import { StoreUnavailable } from "@toolbus/state";
import { checkPlan, reportDrift, SAME_PLAN } from "./check-plan.ts";
import { checkGrant, forgedCall, type Granted } from "./check-grant.ts";
import type { InvokeContext, Outcome } from "../calls/invoke-context.ts";
import type { EndCode } from "./ledger.ts";
import type { Hold } from "./ledger-hold.ts";
import type { CheckedArguments } from "../calls/read-arguments.ts";
import { crashedResult, onTrial } from "../calls/on-trial.ts";
import { awaitTurn, takeTurn, type TurnRequest } from "./resource-turn.ts";
import { toolContext, writeContext } from "../calls/handler-context.ts";
import { readOutcome } from "../calls/run-read.ts";
import { type Ran, runWithin } from "../calls/run-within.ts";
import { type ToolCall, withRecord } from "../tool/tool-call.ts";
import { boundContent, keptResult, outputResult } from "../tool/tool-output.ts";
import { logNothing, logNotJson, logThrown } from "../calls/log-thrown.ts";
import { noMedia, type ResultMedia, resultMedia } from "../tool/result-media.ts";
import { problemResult, type ToolProblem } from "../tool/tool-problem.ts";
import type { Pass } from "../protection/protection.ts";
import { askPerson, askUntil } from "../questions/ask-person.ts";
import type { Reconciliation } from "../tool/tool.ts";
import type { WriteExecutor } from "../tool/toolset.ts";
import { retryAfter, turnAfter } from "../worker-timings.ts";

/**
 * Runs a write only as often as its idempotency allows, and only with a genuine grant for exactly this call. The ledger records the result before the
 * worker answers. An outcome that nobody can know is reported as `outcome_unknown`. It is never reported as a success, and never leads to a second
 * attempt. `off` says why the tool is switched off here, or is null. If the tool is switched off, no new write begins, but a write that was already
 * sent is completed. The same holds while a dependency of the tool fails. A write that names its resource waits for the lock of the resource.
 */
export async function runWrite(
  call: ToolCall,
  executor: WriteExecutor,
  args: CheckedArguments,
  context: InvokeContext,
  off: string | null,
): Promise<Outcome> {
  const permission = await checkGrant(call, executor, args, context);
  if (permission.kind !== "granted") return permission;
  const { toolset, protection } = context;
  const request = turnRequest(call, executor, args, context);
  // The write waits before it counts as one of the concurrent calls of a dependency.
  if (request) await awaitTurn(context.state, request, context.timings.turnHereMs, call.stopped);
  const entry = await protection.enter({ definition: executor.definition, hasCheck: toolset.hasCheck, signals: [call.stopped] });
  // People may have approved the write, so it waits for its turn instead of ending.
  if (entry.kind === "busy") return putOff(call, entry.afterMs, "as many calls of the tool as allowed began before it");
  try {
    const refused = entry.kind === "refused" ? entry.problem : null;
    return await runAdmitted(call, executor, args, context, { permission, off, refused, request, pass: entry.pass });
  } finally {
    entry.pass.leave();
  }
}

/** What is known about a write before it begins. `refused` says that a dependency of the tool fails. */
interface Admission {
  readonly permission: Granted;
  readonly off: string | null;
  readonly refused: ToolProblem | null;
  /** The lock that the write needs, or null if it names no resource. */
  readonly request: TurnRequest | null;
  readonly pass: Pass;
}

function turnRequest(call: ToolCall, { tool }: WriteExecutor, args: CheckedArguments, context: InvokeContext): TurnRequest | null {
  const resource = tool.resource?.(args.value);
  if (resource === undefined) return null;
  return { toolset: context.toolset.name, resource, callId: call.callId, longestMs: longestMs(context) };
}

async function runAdmitted(
  call: ToolCall,
  executor: WriteExecutor,
  args: CheckedArguments,
  context: InvokeContext,
  admission: Admission,
): Promise<Outcome> {
  const { request } = admission;
  if (request === null) return onTrial(call, context, (crashed) => beginWrite(call, executor, args, context, { ...admission, crashed }));
  const taken = await takeTurn(context.state, request);
  if (taken.kind === "busy")
    return putOff(call, Math.min(taken.forMs, turnAfter(context.timings, call.count)), "another write on the same resource is under way");
  const outcome = await onTrial(call, context, (crashed) => beginWrite(call, executor, args, context, { ...admission, crashed }));
  // The lock belongs to the call, so it is not released if another attempt follows.
  if (outcome.kind !== "retry") await taken.turn.release();
  return outcome;
}

/**
 * The number of times that a delivery waits for its turn, each for a time of `turnMs`. Then the call is left to the agent's timer, because a broker gives up a message after too
 * many redeliveries.
 */
const WAITS_FOR_TURN = 8;

/** Returns a write to the queue, where it takes no place of the worker. */
function putOff({ callId, toolName, count }: ToolCall, after: number, reason: string): Outcome {
  if (count > WAITS_FOR_TURN)
    return { kind: "drop", reason: `"${toolName}" has waited for its turn for long; the agent's timer sends ${callId} again` };
  return { kind: "retry", after, reason };
}

/**
 * Returns the longest duration of an attempt at any write of the toolset. The attempt prepares, runs and asks the target. If it died, its lease must
 * also end.
 */
function longestMs({ toolset, timings }: InvokeContext): number {
  return 3 * Math.max(...toolset.list().map(({ definition }) => definition.timeoutMs)) + timings.leaseMs;
}

async function beginWrite(
  call: ToolCall,
  executor: WriteExecutor,
  args: CheckedArguments,
  context: InvokeContext,
  { permission, off, refused, crashed, pass }: Admission & { readonly crashed: boolean },
): Promise<Outcome> {
  const endOf = (code: EndCode): ToolResult => {
    if (code === "unavailable" && refused) return problemResult(refused);
    return code === "held" ? permission.hold.result(executor.definition.name) : endResult(code, executor, off);
  };
  const begun = await context.ledger.begin({
    call: { callId: call.callId, toolName: call.toolName, toolHash: executor.hash, argsHash: args.hash, jti: permission.jti },
    by: call.message.id,
    redelivered: call.count > 1,
    idempotency: executor.definition.idempotency,
    timeoutMs: executor.definition.timeoutMs,
    notAfter: earlier(call.notAfter, permission.expiresAt),
    switchedOff: off !== null,
    refused: refused !== null,
    crashed,
    planRound: permission.plan?.round,
    held: () => permission.hold.held(),
    endResult: (code, attempt) => withRecord(call, endOf(code), attempt, context.monotonic),
    onSuspicion: async (suspicion) => void (await context.security.record(call, suspicion)),
  });
  switch (begun.kind) {
    case "conflict":
      return forgedCall(
        call,
        { reason: "conflict", detail: `the ledger has this call with other ${begun.field}` },
        "it conflicts with the ledger",
        context,
      );
    case "unproven":
      return { kind: "drop", reason: "the ledger's row of it is not genuine" };
    case "repeat":
      return { ...begun, kind: "answer", again: true };
    case "ended":
      return { ...begun, kind: "answer" };
    case "busy":
      return { kind: "retry", after: begun.forMs, reason: "another attempt holds the lease" };
    case "late":
      return { kind: "drop", reason: "it came after its not-after" };
    case "outdated":
      return reportDrift({ call, executor, context, args }, permission.plan?.round ?? 1);
    case "run": {
      const attempt = { call, executor, context, pass, hold: begun.hold };
      return whileHeld(begun.hold, async () => (await planOutcome(attempt, args, permission.plan)) ?? prepareAndSend(attempt, args));
    }
    case "continue":
      return whileHeld(begun.hold, () => send({ call, executor, context, pass, hold: begun.hold }, begun.prepared, { first: false }));
    case "reconcile":
      return whileHeld(begun.hold, () => askTarget({ call, executor, context, pass, hold: begun.hold }, begun.prepared));
  }
}

interface Attempt {
  readonly call: ToolCall;
  readonly executor: WriteExecutor;
  readonly context: InvokeContext;
  readonly pass: Pass;
  readonly hold: Hold;
}

/**
 * The maximum number of attempts to learn an open outcome. Each attempt has its own fence. After the last attempt, the outcome is given up as
 * unknown.
 */
const MAX_FENCES = 5;

async function whileHeld(hold: Hold, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } finally {
    await hold.stop();
  }
}

/** Prepares a write and sends it. Nothing has happened outside until `sending` is committed, so every earlier failure is a plain error. */
async function prepareAndSend(attempt: Attempt, args: CheckedArguments): Promise<Outcome> {
  const { call, executor, context, pass, hold } = attempt;
  const ran = await runWithin<Json>((signal) => executor.tool.prepare(args.value, toolContext(call, context, signal)), {
    timeoutMs: executor.definition.timeoutMs,
    signals: { cancelled: call.cancelled, stopped: call.stopped, lost: hold.lost },
  });
  pass.saw(ran, "step");
  logThrown(ran, "prepare", call, context.log);
  if (ran.kind === "interrupted" && (ran.why === "stopped" || ran.why === "lost"))
    return giveBack(attempt, 0, `the attempt was interrupted (${ran.why})`);
  if (ran.kind !== "value") return finish(attempt, readOutcome(ran, executor));
  const prepared = ran.value ?? null;
  const sent = await hold.sending(prepared, call.notAfter);
  switch (sent) {
    case "sent":
      return send(attempt, prepared, { first: true });
    case "late":
      await hold.release();
      return { kind: "drop", reason: "it was not sent before its not-after" };
    case "stopped":
      return finish(attempt, endResult("cancelled", executor));
    case "lost":
      return { kind: "retry", after: retryAfter(context.timings, call.count), reason: "another attempt has taken over" };
  }
}

/** Returns the outcome of an approved write that no longer fits its plan, or null if it may be prepared and sent. */
async function planOutcome(attempt: Attempt, args: CheckedArguments, approved: PlanRef | undefined): Promise<Outcome | null> {
  const checked = approved === undefined ? SAME_PLAN : await checkPlan({ ...attempt, args }, approved);
  switch (checked.kind) {
    case "same":
      return null;
    case "interrupted":
      return giveBack(attempt, 0, `the attempt was interrupted (${checked.why})`);
    case "failed":
      return finish(attempt, readOutcome(checked.ran, attempt.executor));
    case "changed":
      return checked.outcome;
  }
}

/** Causes the effect. From here on, the worker learns the outcome only from the target, or from a repeat if the tool's idempotency allows one. */
async function send(attempt: Attempt, prepared: Json, { first }: { readonly first: boolean }): Promise<Outcome> {
  const { call, executor, hold } = attempt;
  if (!hold.hasMargin()) return giveBack(attempt, 0, "the lease was about to end before anything was sent");
  const { timeoutMs } = executor.definition;
  const media = resultMedia(attempt.context.maxContentBytes);
  const began = attempt.context.monotonic();
  const leftMs = (): number => timeoutMs - (attempt.context.monotonic() - began);
  const questions = askPerson(call, executor.definition, attempt.context, { leftMs, timeoutMs });
  if (!first) await questions.begin();
  const ran = await runWithin(
    (signal) =>
      executor.tool.run(prepared, writeContext(call, attempt.context, signal, { attach: media.attach, ask: askUntil(questions, signal) })),
    // From here on, a cancel or a shutdown does not interrupt the write, because a write that may have been sent is completed.
    { timeoutMs, signals: { lost: hold.lost } },
  );
  attempt.pass.saw(ran);
  logThrown(ran, "run", call, attempt.context.log);
  if (ran.kind === "value") return finish(attempt, writtenResult(ran.value, "run", attempt), media);
  // The refusal of a later attempt says nothing about the earlier one, which may have succeeded.
  if (first && ran.kind === "problem" && ran.problem.options.effect === "none") return finish(attempt, problemResult(ran.problem));
  if (ran.kind === "interrupted" && ran.why === "lost") return giveBack(attempt, 0, "the lease was lost while sending");
  attempt.context.log.warn(
    { callId: call.callId, tool: call.toolName, attempt: hold.fence, why: whyOpen(ran) },
    "the outcome of a write is open",
  );
  switch (executor.definition.idempotency.mode) {
    case "key":
      return repeatOrUnknown(attempt, ran);
    case "reconcile":
      return askTarget(attempt, prepared);
    case "none":
      return finish(attempt, endResult("outcome_unknown", executor));
  }
}

/** Asks the target about the outcome of an earlier attempt. The answer never leads to a second run. */
async function askTarget(attempt: Attempt, prepared: Json): Promise<Outcome> {
  const { executor, hold } = attempt;
  const ran = await runWithin<Reconciliation>(
    (signal) => executor.tool.reconcile?.(prepared, writeContext(attempt.call, attempt.context, signal)) ?? { kind: "unknown" },
    {
      timeoutMs: executor.definition.timeoutMs,
      signals: { lost: hold.lost },
    },
  );
  attempt.pass.saw(ran);
  logThrown(ran, "reconcile", attempt.call, attempt.context.log);
  if (ran.kind !== "value") return repeatOrUnknown(attempt, ran);
  switch (ran.value.kind) {
    case "happened":
      return finish(attempt, writtenResult(ran.value.content, "reconcile", attempt));
    case "voided":
      return finish(
        attempt,
        failedResult("not_executed", `The write "${executor.definition.name}" did not happen: its target refuses the interrupted attempt.`),
      );
    case "unknown":
      return finish(attempt, endResult("outcome_unknown", executor));
  }
}

async function repeatOrUnknown(attempt: Attempt, ran: Ran<unknown>): Promise<Outcome> {
  const { executor, context, hold } = attempt;
  if (hold.fence >= MAX_FENCES) return finish(attempt, endResult("outcome_unknown", executor));
  const asked = ran.kind === "problem" ? (ran.problem.options.retryAfter ?? 0) * 1000 : 0;
  return giveBack(attempt, Math.max(asked, retryAfter(context.timings, hold.fence)), "the outcome is open and the attempt is repeated");
}

/** Ends this attempt without a result. The message is delivered again, and another attempt continues. */
async function giveBack({ hold }: Attempt, after: number, reason: string): Promise<Outcome> {
  await hold.release();
  return { kind: "retry", after, reason };
}

/** Records the result before it is answered. So a crash in between repeats the answer, not the effect. */
async function finish({ call, context, hold }: Attempt, result: ToolResult, media: ResultMedia = noMedia): Promise<Outcome> {
  const recorded = withRecord(call, await keptOrCut(result, media, context), hold.fence, context.monotonic);
  const done = await hold.finish(recorded);
  if (done.kind === "lost")
    return { kind: "retry", after: retryAfter(context.timings, call.count), reason: "another attempt has taken over" };
  return { kind: "answer", result: recorded, receipt: done.receipt };
}

/**
 * Stores a long result and its media, or truncates the result and drops the media if the store is unavailable. The known outcome of a write must not be
 * lost because the store cannot accept a long text now.
 */
async function keptOrCut(result: ToolResult, media: ResultMedia, { state, maxContentBytes, log }: InvokeContext): Promise<ToolResult> {
  try {
    return await keptResult(result, { state, maxBytes: maxContentBytes, media });
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    log.warn({ error }, "the long result or the media of a write could not be stored, so the result is without them");
    return { ...result, ...boundContent(media.any() ? `${NOT_STORED}\n${result.content}` : result.content) };
  }
}

/** It comes first, because the end of a long result is left out. */
const NOT_STORED = "[The pictures, sounds and files of this result could not be stored.]";

/** Returns the result of a write whose effect is known to have happened, even if the handler returned no readable value. */
function writtenResult(value: Json, part: "run" | "reconcile", { call, context }: Attempt): ToolResult {
  logNothing(value, part, call, context.log);
  try {
    return outputResult(value);
  } catch (error) {
    logNotJson(error, part, call, context.log);
    return outputResult({ note: "The write happened; the tool returned no readable result." });
  }
}

function endResult(code: Exclude<EndCode, "held">, { definition }: WriteExecutor, off: string | null = null): ToolResult {
  if (code === "tool_disabled") return failedResult(code, `${off ?? "The tool is switched off."} Nothing was done.`);
  if (code === "worker_crashed") return crashedResult(definition.name, "Nothing of it was sent.");
  return code === "cancelled"
    ? failedResult(code, `The write "${definition.name}" was cancelled before it was sent.`)
    : failedResult(
        code,
        `Whether the write "${definition.name}" took effect is not known. It is not repeated; look at its target before you ask for it again.`,
      );
}

function whyOpen(ran: Ran<unknown>): string {
  if (ran.kind === "problem") return ran.problem.code;
  return ran.kind === "interrupted" ? ran.why : "threw";
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
