import type { ContextStrategy, Registration } from "@toolbus/contracts";
import type { ModelUsage, TokenCalibration } from "@toolbus/models";
import type { Profile } from "../profile.ts";
import { contextBudget, tighter } from "./budget.ts";
import { contextFor } from "./context-for.ts";
import type { ContextInput, ContextPlan, FittingContext } from "./context-plan.ts";

export interface PlanInput extends Pick<ContextInput, "window" | "run" | "provider" | "now"> {
  readonly profile: Profile;
  readonly tools: ReadonlyMap<string, Registration>;
  /** The strategy for a profile that names none. */
  readonly strategy: ContextStrategy;
  readonly calibration: TokenCalibration;
}

export interface PlannedContext {
  readonly plan: ContextPlan;
  /** The input from which the plan was made, for `planAgain`. */
  readonly input: ContextInput;
}

/** Plans what the model sees in a run's next turn, from the profile, the model's window and the calibration of its estimates. */
export function planContext({ profile, tools, strategy, calibration, ...given }: PlanInput): PlannedContext {
  const { provider } = given;
  const budget = contextBudget({ provider, profile, tools, ratio: calibration.ratio(provider.name, provider.model) });
  const input: ContextInput = {
    ...given,
    budget,
    strategy: profile.context?.strategy ?? strategy,
    isWrite: (tool) => tools.get(tool)?.definition.kind === "write",
    maySummarise: true,
  };
  return { input, plan: contextFor(input) };
}

/**
 * Plans the immediate second attempt after the vendor refused this prompt as too long. The new plan has half of the conversation. Later estimates
 * learn from the refusal. The plan never asks for a summary, because the step has already made its model call.
 */
export function planAgain({ input }: PlannedContext, refused: FittingContext, calibration: TokenCalibration): FittingContext | null {
  const { provider, budget } = input;
  const { window, ratio } = budget;
  const { used, history } = refused.use();
  calibration.overflowed(provider.name, provider.model, { estimated: used / ratio, window });
  const plan = contextFor({ ...input, budget: tighter(budget, history), maySummarise: false });
  return plan.kind === "fits" ? plan : null;
}

/**
 * Calibrates later estimates for this model with the vendor's count for this prompt. A prompt that was not counted is counted only while little is
 * known about the model: the factor matters only to prompts that must be counted, and each of those is learnt from.
 */
export function learnFrom({ input }: PlannedContext, shown: FittingContext, usage: ModelUsage, calibration: TokenCalibration): void {
  if (usage.estimated) return;
  const { provider, budget } = input;
  if (!shown.isCounted && !calibration.wants(provider.name, provider.model, usage.inputTokens)) return;
  calibration.learn(provider.name, provider.model, { estimated: shown.use().used / budget.ratio, reported: usage.inputTokens });
}
