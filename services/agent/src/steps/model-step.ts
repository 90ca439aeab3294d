import type { ContextDocument, Registration, Run, Usage } from "@toolbus/contracts";
import { ContextOverflow, ModelError, type ModelProvider, type TokenCalibration } from "@toolbus/models";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { Budgets } from "../budget/budgets.ts";
import { callableTools } from "../callable-tools.ts";
import type { Ahead } from "./ahead.ts";
import { completeWithin } from "./complete-within.ts";
import type { FittingContext, SummaryDue } from "../context/context-plan.ts";
import { recordPruned } from "../context/context-telemetry.ts";
import { learnFrom, planAgain, planContext, type PlannedContext } from "../context/plan-context.ts";
import type { TranscriptWindow } from "../context/transcript-window.ts";
import type { Profile } from "../profile.ts";
import { NOTHING_USED } from "../usage.ts";
import { isPending } from "../transitions/merge-changes.ts";
import type { Stopped } from "../transitions/end.ts";
import { modelTurn, type ModelTurnInput } from "./model-turn.ts";
import type { Rules } from "../transitions/rules.ts";
import { toolChoiceOf } from "../transitions/tool-choice.ts";
import type { Transcripts } from "./transcripts.ts";
import type { Turn } from "../transitions/turn-input.ts";

/** The parts of the process that a step needs to ask a model. */
export interface ModelParts {
  readonly state: StateStore;
  readonly transcripts: Transcripts;
  readonly budgets: Budgets;
  readonly calibration: TokenCalibration;
  readonly rules: Rules;
  readonly log: Log;
}

export interface ModelStepInput {
  readonly run: Run;
  readonly profile: Profile;
  readonly provider: ModelProvider;
  readonly tools: ReadonlyMap<string, Registration>;
  /** The store's time, in milliseconds. */
  readonly now: number;
  /** The version of the run's document. */
  readonly version: number;
  /** The change that began this step, if it is not committed yet. */
  readonly ahead: Ahead | null;
}

/** The outcome of asking the model: its turn, a summary that had to be written first, or why the run stops. */
export type ModelStep =
  | { readonly kind: "turn"; readonly turn: Turn; readonly document?: ContextDocument }
  | { readonly kind: "summary"; readonly document: ContextDocument; readonly usage: Usage }
  | { readonly kind: "stopped"; readonly stopped: Stopped };

/**
 * Asks the model within the run's budgets, with the part of the conversation that fits its window. Throws what the provider throws, and `EmptyReply`.
 */
export async function modelStep(parts: ModelParts, input: ModelStepInput, signal: AbortSignal): Promise<ModelStep> {
  const { transcripts, calibration, rules, log } = parts;
  const { run, profile, provider, tools, now } = input;
  const planned = planContext({
    window: await windowOf(transcripts, input),
    run,
    provider,
    now,
    profile,
    tools,
    strategy: rules.config.CONTEXT_STRATEGY,
    calibration,
  });
  const { plan } = planned;
  if (plan.kind === "too_long") return { kind: "stopped", stopped: { code: "context_too_long", message: plan.message } };
  if (plan.kind === "summarise") return summaryStep(parts, input, plan, signal);
  recordPruned(plan, { run, provider, log });
  try {
    return await turnStep(parts, input, { planned, plan }, signal);
  } catch (error) {
    if (!(error instanceof ContextOverflow)) throw error;
    const again = planAgain(planned, plan, calibration);
    if (!again) throw error;
    log.warn(
      { error, runId: run.runId },
      "the provider found the prompt too long; it is asked again at once with half of the conversation",
    );
    recordPruned(again, { run, provider, log });
    return turnStep(parts, input, { planned, plan: again }, signal);
  }
}

/** Returns the conversation's window from memory, or else from the store. What is not committed yet must be in the store before it can be read there. */
async function windowOf(transcripts: Transcripts, { run, version, ahead }: ModelStepInput): Promise<TranscriptWindow> {
  const known = transcripts.at(run.conversationId, version);
  if (known) return known;
  await ahead?.store();
  return transcripts.window(run.conversationId, isPending(version) ? undefined : version);
}

interface Shown {
  readonly planned: PlannedContext;
  readonly plan: FittingContext;
}

async function turnStep(parts: ModelParts, input: ModelStepInput, { planned, plan }: Shown, signal: AbortSignal): Promise<ModelStep> {
  const { run, profile, provider, tools } = input;
  const { entries: transcript, pruned, document } = plan;
  const toolChoice = toolChoiceOf(profile, run, callableTools(provider, tools));
  const asked: ModelTurnInput = { ...parts, ...input, transcript, toolChoice };
  const said = await modelTurn(asked, signal);
  if ("code" in said) return { kind: "stopped", stopped: said };
  learnFrom(planned, plan, said.counted, parts.calibration);
  return { kind: "turn", turn: { ...said.turn, ...(pruned ? { pruned } : {}) }, ...(document ? { document } : {}) };
}

/** Asks for the summary, which is this step's only model call. The next step asks for the turn. A failed call for a summary never fails a run. */
async function summaryStep(parts: ModelParts, { run, provider }: ModelStepInput, due: SummaryDue, signal: AbortSignal): Promise<ModelStep> {
  const { budgets, log } = parts;
  try {
    const paid = await completeWithin({ budgets, provider, run }, due.request, { signal, onText: () => undefined });
    if ("code" in paid) return { kind: "stopped", stopped: paid };
    // A summary is not a turn, and `modelCalls` is the number of the run's turns.
    return { kind: "summary", document: due.apply(paid.reply), usage: { ...paid.usage, modelCalls: 0 } };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    log.warn({ error, runId: run.runId }, "no summary of the conversation could be made; its oldest part is left out without one");
    return { kind: "summary", document: due.withoutSummary(), usage: NOTHING_USED };
  }
}
