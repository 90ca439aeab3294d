import { BusUnavailable, type Disposition, Unroutable } from "@toolbus/bus";
import { failedResult, type Message, shardOf, type ToolInvoke, type ToolResult } from "@toolbus/contracts";
import { StoreUnavailable } from "@toolbus/state";
import type { InvokeContext, Outcome } from "./invoke-context.ts";
import { readArguments } from "./read-arguments.ts";
import { grantStaleMessage, resultMessage } from "./result-message.ts";
import { runRead } from "./run-read.ts";
import { runWrite } from "./run-write.ts";
import { type ToolCall, toolCall, withRecord } from "./tool-call.ts";
import { boundedDetails, cleanText } from "./tool-problem.ts";
import type { Executor } from "./toolset.ts";
import { retryAfter } from "./worker-timings.ts";

/**
 * Runs one tool call to its answer. Never throws for a failed tool: the model gets the failure as content. The delivery is acknowledged last,
 * so a crash repeats work rather than loses it, and the ledger makes the repeat of a write harmless.
 */
export async function invokeTool(
  message: Message,
  invoke: ToolInvoke,
  delivery: { readonly count: number; readonly signal: AbortSignal },
  context: InvokeContext,
): Promise<Disposition> {
  if (Number.parseInt(shardOf(invoke.toolCallId), 16) >= context.state.shards) {
    context.log.warn({ callId: invoke.toolCallId }, "a call of a shard that does not exist was dropped");
    return { kind: "ack" };
  }
  const entry = context.underWay.enter(invoke.toolCallId, { write: context.toolset.find(invoke.toolName)?.tool.kind === "write" });
  if (!entry)
    return { kind: "retry", after: retryAfter(context.timings, delivery.count), reason: "this process works on the call already" };
  const call = toolCall({
    message,
    invoke,
    count: delivery.count,
    stopped: delivery.signal,
    cancelled: entry.cancelled,
    clock: context.clock,
    monotonic: context.monotonic,
  });
  try {
    return await settle(call, await outcomeOf(call, context), context);
  } catch (error) {
    if (!isOutage(error)) throw error;
    context.log.warn({ error, callId: call.callId }, "a tool call waits for the state store or the bus");
    return { kind: "retry", after: retryAfter(context.timings, delivery.count), reason: "the state store or the bus is not available" };
  } finally {
    entry.leave();
  }
}

async function outcomeOf(call: ToolCall, context: InvokeContext): Promise<Outcome> {
  const executor = context.toolset.find(call.toolName);
  if (!executor) return refuse(call, notFound(call, context), context);
  const args = readArguments(executor.definition, call.invoke.arguments);
  if (!args.ok)
    return refuse(
      call,
      failedResult("invalid_arguments", `The arguments of "${call.toolName}" are not valid.`, { details: boundedDetails(args.problems) }),
      context,
    );
  // The worker's own definition says whether it is a write, never the message.
  const { tool } = executor;
  switch (tool.kind) {
    case "read":
    case "compute":
      return runRead(call, { ...executor, tool }, args.value, context);
    case "write":
      return runWrite(call, { ...executor, tool }, args.value, context);
  }
}

/** Publishes the answer and acknowledges after the broker confirmed it. */
async function settle(call: ToolCall, outcome: Outcome, context: InvokeContext): Promise<Disposition> {
  const { log, publish, clock, toolset } = context;
  const parts = { invoke: call.message, call: call.invoke, dispatch: call.dispatch, source: `worker.${toolset.name}`, now: clock() };
  switch (outcome.kind) {
    case "answer":
      await publish(resultMessage({ ...parts, result: outcome.result, receipt: outcome.receipt }));
      log.info({ callId: call.callId, status: outcome.result.status, ...outcome.result.metadata }, "a tool call was answered");
      return { kind: "ack" };
    case "grant_stale":
      await publish(grantStaleMessage({ ...parts, reason: outcome.reason }));
      log.info({ callId: call.callId, tool: call.toolName, reason: outcome.reason }, "a stale grant was answered");
      return { kind: "ack" };
    case "drop":
      log.warn({ callId: call.callId, tool: call.toolName, reason: outcome.reason }, "a tool call was dropped without an answer");
      return { kind: "ack" };
    case "retry":
      return outcome;
  }
}

/**
 * A refusal says that nothing happened. When the ledger knows the call, that may not be so (the tool was changed or removed since): then there
 * is no answer, and the agent resolves the call from the ledger.
 */
async function refuse(call: ToolCall, result: ToolResult, context: InvokeContext): Promise<Outcome> {
  const { row } = await context.ledger.find(call.callId);
  if (row) return { kind: "drop", reason: "the ledger knows the call, so a refusal would not be true" };
  return { kind: "answer", result: withRecord(call, result, 1, context.monotonic) };
}

function notFound(call: ToolCall, { toolset }: InvokeContext): ToolResult {
  const names = toolset.list().map((known: Executor) => known.definition.name);
  return failedResult(
    "tool_not_found",
    `Tool "${cleanText(call.toolName, 64)}" is not registered. Registered: ${names.slice(0, 32).join(", ")}.`,
  );
}

function isOutage(error: unknown): boolean {
  return error instanceof StoreUnavailable || error instanceof BusUnavailable || error instanceof Unroutable;
}
