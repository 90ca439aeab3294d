import { publicTool, type Registration, type Run, type ToolChoice, type TranscriptEntry } from "@toolbus/contracts";
import { assertPaired, ModelError, type ModelProvider, type ModelReply } from "@toolbus/models";
import type { StateStore } from "@toolbus/state";
import type { Profile } from "../profile.ts";
import { liveText } from "./live-text.ts";
import type { Turn } from "./turn.ts";

/** A reply without a word and without a call: some models give one now and then, and a better one when they are asked again. */
export class EmptyReply extends ModelError {
  override readonly name = "EmptyReply";
  readonly code = "empty_reply";
  readonly retryable = true;
}

export interface ModelTurnInput {
  readonly state: StateStore;
  readonly provider: ModelProvider;
  readonly run: Run;
  readonly profile: Profile;
  readonly transcript: readonly TranscriptEntry[];
  readonly tools: ReadonlyMap<string, Registration>;
  readonly toolChoice: ToolChoice;
}

/** Asks the model for its turn, its text shown as it comes. Throws what the provider throws, and `EmptyReply`. */
export async function modelTurn(
  { state, provider, run, profile, transcript, tools, toolChoice }: ModelTurnInput,
  signal: AbortSignal,
): Promise<Turn> {
  assertPaired(transcript);
  const live = liveText(state, run);
  try {
    const reply = await provider.complete(
      {
        system: profile.systemPrompt,
        transcript,
        tools: [...tools.values()].map(({ definition }) => publicTool(definition)),
        toolChoice,
        maxTokens: profile.limits.maxTokens,
        run: { runId: run.runId, profile: run.profile, input: run.input },
      },
      { signal, onText: live.add, onArguments: live.addArguments },
    );
    return turnOf(reply, provider.name);
  } finally {
    await live.end();
  }
}

function turnOf({ text, calls, stop, usage, model, vendor }: ModelReply, provider: string): Turn {
  const truncated = stop === "max_tokens";
  // A cut-off reply may hold half a call: none of them is trusted.
  const trusted = truncated ? [] : calls;
  const paused = stop === "pause" && trusted.length === 0;
  if (text.trim() === "" && trusted.length === 0 && stop !== "refusal" && !paused)
    throw new EmptyReply(
      truncated
        ? "The model's reply was cut off at its longest length before it said anything; give the profile more tokens."
        : "The model answered with neither text nor a call.",
    );
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
    usage,
  };
}
