import { publicTool, type Registration, type Run, type ToolChoice, type TranscriptEntry } from "@toolbus/contracts";
import { assertPaired, ModelError, type ModelReply, type ModelUsage } from "@toolbus/models";
import type { StateStore } from "@toolbus/state";
import { callableTools } from "../callable-tools.ts";
import type { Ahead } from "./ahead.ts";
import { completeWithin, type PaidCall, type PaidReply } from "./complete-within.ts";
import type { Profile } from "../profile.ts";
import type { Stopped } from "../transitions/end.ts";
import { liveText } from "../outgoing/live-text.ts";
import type { Turn } from "../transitions/turn-input.ts";

/** A reply with neither text nor a call. Some models give such a reply now and then. The next attempt usually succeeds. */
export class EmptyReply extends ModelError {
  override readonly name = "EmptyReply";
  readonly code = "empty_reply";
  readonly retryable = true;
}

export interface ModelTurnInput extends PaidCall {
  readonly state: StateStore;
  readonly run: Run;
  readonly profile: Profile;
  readonly transcript: readonly TranscriptEntry[];
  readonly tools: ReadonlyMap<string, Registration>;
  readonly toolChoice: ToolChoice;
  /** The change that began the step, if it is not committed yet. */
  readonly ahead?: Ahead | null;
}

/** The model's turn, and the usage that its vendor reported. */
export interface SaidTurn {
  readonly turn: Turn;
  readonly counted: ModelUsage;
}

/**
 * Asks the model for its turn within the run's budgets, and shows its text and arguments as they arrive. Returns why the run stops if a budget has no
 * room. Throws what the provider throws, and `EmptyReply`.
 */
export async function modelTurn(input: ModelTurnInput, signal: AbortSignal): Promise<SaidTurn | Stopped> {
  const { state, provider, run, profile, transcript, tools, toolChoice } = input;
  assertPaired(transcript);
  const live = liveText(state, run, input.ahead?.alone ?? null);
  const offered = [...callableTools(provider, tools).values()];
  try {
    const paid = await completeWithin(
      input,
      {
        system: profile.systemPrompt,
        transcript,
        tools: offered.map(({ definition }) => publicTool(definition)),
        examples: new Map(offered.flatMap(({ definition, example }) => (example === undefined ? [] : [[definition.name, example]]))),
        toolChoice,
        ...(profile.parallelCalls === undefined ? {} : { parallelCalls: profile.parallelCalls }),
        ...(profile.temperature === undefined ? {} : { temperature: profile.temperature }),
        maxTokens: Math.min(profile.limits.maxTokens, provider.capabilities.maxOutputTokens),
        run: { runId: run.runId, profile: run.profile, round: run.round, input: run.input },
      },
      { signal, onText: live.add, onArguments: live.addArguments },
    );
    return "code" in paid ? paid : { turn: turnOf(paid, provider.name), counted: paid.reply.usage };
  } finally {
    await live.end();
  }
}

function turnOf({ reply, usage, allowedCalls }: PaidReply, provider: string): Turn {
  const { text, calls, stop, model, vendor } = reply;
  const truncated = stop === "max_tokens";
  // A reply that was cut off may contain half a call, so the agent trusts none of its calls.
  const trusted = truncated ? [] : calls;
  const paused = stop === "pause" && trusted.length === 0;
  if (text.trim() === "" && trusted.length === 0 && stop !== "refusal" && !paused) throw new EmptyReply(emptyWords(reply));
  const said = stop === "refusal" && text.trim() === "" ? "The model declined to answer this." : text;
  return {
    provider,
    model,
    text: said,
    calls: trusted,
    seed: false,
    truncated,
    ...(paused ? { paused } : {}),
    ...(vendor ? { vendor } : {}),
    ...(allowedCalls < trusted.length ? { allowedCalls } : {}),
    usage,
  };
}

function emptyWords({ stop }: ModelReply): string {
  return stop === "max_tokens"
    ? "The model's reply was cut off at its longest length before it said anything; give the profile more tokens."
    : "The model answered with neither text nor a call.";
}
