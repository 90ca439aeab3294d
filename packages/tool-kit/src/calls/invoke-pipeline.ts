import { BusUnavailable, NotPermitted, Unroutable, type Verdict } from "@toolbus/bus";
import {
  attributes,
  errorRow,
  failedResult,
  type Message,
  type Problem,
  shardOf,
  type ToolInvoke,
  type ToolKind,
  type ToolResult,
} from "@toolbus/contracts";
import { argumentsHash, plainlyForged } from "@toolbus/grants";
import { StoreUnavailable } from "@toolbus/state";
import { forgedCall } from "../writes/check-grant.ts";
import { withCallSpan } from "./call-span.ts";
import { elsewhere, versionsOf } from "../registry/elsewhere.ts";
import { NOTHING_BEGAN, signAnswer } from "./answer-receipt.ts";
import type { InvokeContext, Outcome } from "./invoke-context.ts";
import { otherServer } from "./named-server.ts";
import { crashedResult, onTrial } from "./on-trial.ts";
import { readArguments } from "./read-arguments.ts";
import { readResult } from "./read-result.ts";
import type { SecurityEvent } from "./security-record.ts";
import { grantStaleMessage, resultMessage, sendable } from "./result-message.ts";
import { runRead } from "./run-read.ts";
import { runWrite } from "../writes/run-write.ts";
import { type ToolCall, toolCall, withRecord } from "../tool/tool-call.ts";
import { switchedOff } from "../registry/tool-flags.ts";
import { boundedDetails, cleanText } from "../tool/tool-problem.ts";
import type { Executor } from "../tool/toolset.ts";
import { retryAfter } from "../worker-timings.ts";

/**
 * Runs one tool call and publishes its answer. Never throws for a failed tool, because the model receives the failure as content. The delivery is
 * acknowledged last, so a crash repeats the work instead of losing it. The ledger makes the repeat of a write harmless.
 */
export function invokeTool(message: Message, invoke: ToolInvoke, delivery: CallDelivery, context: InvokeContext): Promise<Verdict> {
  return inPipeline<Verdict>(message, invoke, delivery, context, (call, outcome) => settle(call, outcome, context));
}

/**
 * Runs one call of a read or a computation as `invokeTool` does, but returns its result instead of publishing it. Returns another disposition if the
 * call gets no answer.
 */
export function readHere(
  message: Message,
  invoke: ToolInvoke,
  delivery: CallDelivery,
  context: InvokeContext,
): Promise<Verdict | { readonly kind: "result"; readonly result: ToolResult }> {
  return inPipeline(message, invoke, delivery, context, async (call, outcome) => {
    if (outcome.kind !== "answer" || outcome.letter !== undefined) return settle(call, outcome, context);
    context.log.debug(recordOf(call, outcome.result), "a tool call was answered");
    return { kind: "result", result: sendable(outcome.result) };
  });
}

/** What the pipeline must know about a delivery: its number, from 1, and the signal that takes it back. */
export interface CallDelivery {
  readonly count: number;
  readonly signal: AbortSignal;
}

async function inPipeline<T>(
  message: Message,
  invoke: ToolInvoke,
  delivery: CallDelivery,
  context: InvokeContext,
  end: (call: ToolCall, outcome: Outcome) => Promise<T>,
): Promise<T | Verdict> {
  if (Number.parseInt(shardOf(invoke.toolCallId), 16) >= context.state.shards)
    return { kind: "unusable", reason: "the call id names a shard that this store does not have" };
  const write = isWrite(message, invoke, context);
  const parts = {
    message,
    invoke,
    count: delivery.count,
    stopped: delivery.signal,
    source: `worker.${context.toolset.name}`,
    announce: context.announce,
    clock: context.clock,
    monotonic: context.monotonic,
  };
  const forged = write ? await plainlyForged(message.attributes[attributes.grant], context.keys) : null;
  if (forged) return forgedDisposition(toolCall({ ...parts, cancelled: delivery.signal }), forged, context);
  const entry = context.underWay.enter(invoke.toolCallId, { write });
  if (!entry)
    return { kind: "retry", after: retryAfter(context.timings, delivery.count), reason: "this process works on the call already" };
  const call = toolCall({ ...parts, cancelled: entry.cancelled });
  try {
    return await retriedInOutage<T | Verdict>(call, context, async () =>
      end(call, await withCallSpan(call, context, () => outcomeOf(call, context))),
    );
  } finally {
    await call.mark.end();
    call.progress.end();
    entry.leave();
  }
}

async function retriedInOutage<T>(call: ToolCall, { log, timings }: InvokeContext, work: () => Promise<T>): Promise<T | Verdict> {
  try {
    return await work();
  } catch (error) {
    // The sender is not one of our agents, so the broker would refuse another attempt, too.
    if (error instanceof NotPermitted) return { kind: "unusable", reason: "its reply topic is one to which this worker may not publish" };
    if (!isOutage(error)) throw error;
    log.warn({ error, callId: call.callId }, "a tool call waits for the state store or the bus");
    return { kind: "retry", after: retryAfter(timings, call.count), reason: "the state store or the bus is not available" };
  }
}

/**
 * Drops a forged write without using the store, and before the call is registered as under way. Thousands of writes without a grant, perhaps with the
 * id of a genuine call, must not delay other calls.
 */
async function forgedDisposition(call: ToolCall, { reason, detail }: SecurityEvent, context: InvokeContext): Promise<Verdict> {
  return retriedInOutage(call, context, async () =>
    settle(call, await forgedCall(call, { reason, detail }, `its grant was refused (${reason})`, context), context),
  );
}

async function outcomeOf(call: ToolCall, context: InvokeContext): Promise<Outcome> {
  const executor = context.toolset.find(call.toolName, call.toolVersion);
  if (!executor) {
    const known = await elsewhere(call, context);
    if (known) return known;
    if (!context.unknownTools.mayAnswer()) return { kind: "drop", reason: "calls of unknown tools come too fast", reported: "counted" };
    return refuse(call, notFound(call, context), context);
  }
  // The worker's own definition decides whether the call is a write. The message does not.
  const { definition, tool } = executor;
  const misdirected = otherServer(call.message, definition);
  if (misdirected) return refuse(call, misdirected, context);
  const tooLarge = context.protection.tooLarge(definition, call.invoke.arguments);
  if (tooLarge) return refuse(call, invalidArguments(call, [tooLarge]), context);
  const changed = call.toolHash !== undefined && call.toolHash !== executor.hash;
  const args = readArguments(definition, call.invoke.arguments, changed && tool.kind !== "write" ? "applied" : "present");
  if (!args.ok) return refuse(call, changed ? toolChanged(call, tool.kind, args.problems) : invalidArguments(call, args.problems), context);
  const off = switchedOff(definition, await context.flags.current(), context.flags.environment);
  switch (tool.kind) {
    case "read":
    case "compute":
      if (off !== null) return { kind: "answer", result: withRecord(call, failedResult("tool_disabled", off), 1, context.monotonic) };
      return onTrial(call, context, async (crashed) =>
        crashed
          ? { kind: "answer", result: withRecord(call, crashedResult(definition.name), 1, context.monotonic) }
          : runRead(call, { ...executor, tool }, args.value, context),
      );
    case "write":
      return runWrite(call, { ...executor, tool }, args.value, context, off);
  }
}

function isWrite({ attributes: named }: Message, { toolName }: ToolInvoke, { toolset }: InvokeContext): boolean {
  return toolset.find(toolName, named[attributes.toolVersion])?.tool.kind === "write";
}

/** Publishes the answer, if there is one, and returns the verdict on the delivery after the broker's confirm, so that a crash loses no answer. */
async function settle(call: ToolCall, outcome: Outcome, context: InvokeContext): Promise<Verdict> {
  const { log, publish, clock, toolset } = context;
  const parts = { invoke: call.message, call: call.invoke, dispatch: call.dispatch, source: `worker.${toolset.name}`, now: clock() };
  switch (outcome.kind) {
    case "answer":
      await publish(resultMessage({ ...parts, result: outcome.result, receipt: outcome.receipt }));
      // The agent logs each failed call once. A write that succeeded is also logged here, because this log survives a store that loses its ledger.
      log[isWrite(call.message, call.invoke, context) && !outcome.result.isError ? "info" : "debug"](
        recordOf(call, outcome.result),
        // A reader of the log counts the lines of a call, and a repeated answer is not another execution.
        outcome.again ? "a tool call was answered again from the ledger" : "a tool call was answered",
      );
      return outcome.letter === undefined ? { kind: "ack" } : { kind: "dead-letter", reason: outcome.letter };
    case "grant_stale": {
      const unsigned = grantStaleMessage({ ...parts, reason: outcome.reason });
      const read = readResult(unsigned);
      const receipt = read.ok ? await refusalReceipt(call, read.value.result, context, true) : undefined;
      await publish(grantStaleMessage({ ...parts, reason: outcome.reason, receipt }));
      log.info({ callId: call.callId, tool: call.toolName, reason: outcome.reason }, "a stale grant was answered");
      return { kind: "ack" };
    }
    case "drop":
      // For a flood of these calls, there is one log line with their number.
      if (outcome.reported !== "counted")
        log.warn({ callId: call.callId, tool: call.toolName, reason: outcome.reason }, "a tool call was dropped without an answer");
      return { kind: "ack" };
    case "retry":
      return outcome;
  }
}

/** Returns the audit record of an answered call. It has the status and the error's code, but no arguments or content. */
function recordOf({ callId }: ToolCall, { status, error, metadata }: ToolResult): object {
  const { startedAt: _, endedAt: __, ...record } = metadata ?? {};
  return { callId, status, ...(error === undefined ? {} : { code: error.code, errorName: errorRow(error.code).name }), ...record };
}

/**
 * Refuses a call. A refusal says that nothing happened. If the ledger knows the call, that statement may be wrong, because the tool may have been
 * changed or removed since. In this case the worker sends no answer, and the agent resolves the call from the ledger.
 */
async function refuse(call: ToolCall, result: ToolResult | "grant_stale", context: InvokeContext): Promise<Outcome> {
  const { row } = await context.ledger.find(call.callId);
  if (row) return { kind: "drop", reason: "the ledger knows the call, so a refusal would not be true" };
  if (result === "grant_stale") return { kind: "grant_stale", reason: "tool_hash" };
  const recorded = withRecord(call, result, 1, context.monotonic);
  const receipt = await refusalReceipt(call, recorded, context);
  return { kind: "answer", result: recorded, ...(receipt === undefined ? {} : { receipt }) };
}

/** Signs the answer to a write that has not begun. The agent accepts no unsigned answer to a write. Returns undefined for other calls. */
async function refusalReceipt(call: ToolCall, result: ToolResult, context: InvokeContext, stale = false): Promise<string | undefined> {
  const { signer, toolset, clock } = context;
  const { callId, toolName: tool, invoke } = call;
  const executor = toolset.find(call.toolName, call.toolVersion);
  // A call of an unknown tool is treated as a write if it has a grant.
  const write = executor ? executor.tool.kind === "write" : call.grant !== undefined;
  const toolHash = executor?.hash ?? call.toolHash;
  // No agent has a tool with this name or hash, and claims cannot contain them.
  if (!signer || !write || toolHash === undefined || !A_HASH.test(toolHash) || !tool.isWellFormed()) return undefined;
  const answered = { callId, toolset: toolset.name, tool, toolHash, argsHash: argumentsHash(invoke.arguments) };
  return signAnswer(answered, { result, fence: NOTHING_BEGAN, at: clock(), stale }, signer);
}

const A_HASH = /^sha256-[A-Za-z0-9_-]{43}$/;

function invalidArguments({ toolName }: ToolCall, problems: readonly Problem[]): ToolResult {
  return failedResult("invalid_arguments", `The arguments of "${toolName}" are not valid.`, { details: boundedDetails(problems) });
}

/**
 * Returns the answer if the worker's definition is not that of the run, and does not accept the arguments. The model followed the schema that its run saw, so the answer
 * "invalid arguments" would make it repeat the call. A write has a grant for the former definition, so approvals decides what to do with it.
 */
function toolChanged({ toolName }: ToolCall, kind: ToolKind, problems: readonly Problem[]): ToolResult | "grant_stale" {
  if (kind === "write") return "grant_stale";
  return failedResult(
    "tool_changed",
    `The worker has another definition of the tool "${toolName}" than this run, and does not accept these arguments; nothing was done. The tool was changed since the run began, or workers with different definitions run at once. A new run sees the registered definition.`,
    { details: boundedDetails(problems) },
  );
}

function notFound(call: ToolCall, { toolset }: InvokeContext): ToolResult {
  const versions = versionsOf(call.toolName, toolset);
  if (versions.length > 0)
    return failedResult(
      "tool_not_found",
      `Tool "${call.toolName}" has no version ${cleanText(call.toolVersion ?? "", 40)} here. Versions: ${versions.slice(0, 16).join(", ")}.`,
    );
  const names = [...new Set(toolset.list().map((known: Executor) => known.definition.name))];
  return failedResult(
    "tool_not_found",
    `Tool "${cleanText(call.toolName, 64)}" is not registered. Registered: ${names.slice(0, 32).join(", ")}.`,
  );
}

function isOutage(error: unknown): boolean {
  return error instanceof StoreUnavailable || error instanceof BusUnavailable || error instanceof Unroutable;
}
