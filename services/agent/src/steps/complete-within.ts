import type { Usage } from "@toolbus/contracts";
import {
  AuthenticationError,
  estimateToolTokens,
  type ModelContext,
  type ModelProvider,
  type ModelReply,
  type ModelRequest,
  NetworkError,
  ProviderError,
  RateLimitError,
  ValidationError,
} from "@toolbus/models";
import type { Stopped } from "../transitions/end.ts";
import type { Turn } from "../transitions/turn-input.ts";
import { usageOfReply } from "../usage.ts";
import type { BudgetedRun, Budgets, Refused } from "../budget/budgets.ts";

/** A reply, its usage, and the number of its tool calls that the budgets have room for. */
export interface PaidReply {
  readonly reply: ModelReply;
  readonly usage: Usage;
  readonly allowedCalls: number;
}

export interface PaidCall {
  readonly budgets: Budgets;
  readonly provider: ModelProvider;
  readonly run: BudgetedRun;
}

/**
 * Asks the model within the budgets. Reserves before the call and settles after it. If a budget has no room for the most that the call may use, sends
 * nothing and returns why the run stops. Sends nothing if the store gives no answer. Throws what the provider throws. Releases the reservation of a
 * failed call only if the vendor certainly did not charge for the call.
 */
export async function completeWithin(
  { budgets, provider, run }: PaidCall,
  request: ModelRequest,
  context: ModelContext,
): Promise<PaidReply | Stopped> {
  const reservation = await budgets.reserve(run, () => estimateOf(provider, request), context.signal);
  if (reservation.kind === "refused") return stoppedBy(reservation);
  try {
    const reply = await provider.complete(request, context);
    const usage = usageOfReply(reply, provider, budgets.factsOf);
    const allowedCalls = await budgets.settle(reservation, { usage, toolCalls: reply.calls.length });
    return { reply, usage, allowedCalls };
  } catch (error) {
    if (isUncharged(error)) await budgets.release(reservation);
    throw error;
  }
}

/** Reserves the profile's fixed calls from the budgets that limit tool calls. Returns the turn with all of its calls, or why the run stops. */
export async function seedWithin(budgets: Budgets, run: BudgetedRun, turn: Turn, signal: AbortSignal): Promise<Turn | Stopped> {
  const estimate = { provider: turn.provider, model: turn.model, promptTokens: 0, maxTokens: 0, toolCalls: turn.calls.length };
  const reservation = await budgets.reserve(run, () => estimate, signal);
  // The reservation already counts these calls, so nothing is left to settle.
  return reservation.kind === "refused" ? stoppedBy(reservation) : turn;
}

const stoppedBy = ({ code, message }: Refused): Stopped => ({ code, message });

function estimateOf(provider: ModelProvider, { transcript, system, tools, maxTokens }: ModelRequest) {
  const promptTokens = provider.estimateTokens(transcript, system) + estimateToolTokens(tools);
  return { provider: provider.name, model: provider.model, promptTokens, maxTokens, toolCalls: 0 };
}

/**
 * Returns true if the provider certainly does not charge for a call that ended with this error. In these cases the provider refused the call, failed,
 * or was never reached.
 */
function isUncharged(error: unknown): boolean {
  if (error instanceof RateLimitError || error instanceof AuthenticationError || error instanceof ValidationError) return true;
  if (error instanceof ProviderError) return error.retryable;
  return error instanceof NetworkError && neverConnected(error);
}

const NEVER_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

function neverConnected(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 5) return false;
  if ("code" in error && typeof error.code === "string" && NEVER_CONNECTED.has(error.code)) return true;
  return neverConnected(error.cause, depth + 1);
}
