import type { Run } from "@toolbus/contracts";
import type { ModelCapabilities, ModelProvider, ModelUsage } from "@toolbus/models";
import { attributeNames, type Attributes, type Log, measure, metricNames } from "@toolbus/telemetry";
import type { FittingContext } from "./context-plan.ts";

/** How much of the model's window a turn used and how much was left, as its vendor counted: for the span of the model call. */
export function windowAttributes(
  { inputTokens, outputTokens }: Pick<ModelUsage, "inputTokens" | "outputTokens">,
  { contextTokens }: Pick<ModelCapabilities, "contextTokens">,
): Attributes {
  const used = inputTokens + outputTokens;
  return { [attributeNames.windowUsed]: used, [attributeNames.windowLeft]: Math.max(0, contextTokens - used) };
}

/** Measures which share of the model's window a call took. */
export function measureWindow(
  { inputTokens, outputTokens }: Pick<ModelUsage, "inputTokens" | "outputTokens">,
  { contextTokens }: Pick<ModelCapabilities, "contextTokens">,
  tags: Attributes,
): void {
  measure(metricNames.windowUse, (inputTokens + outputTokens) / contextTokens, tags);
}

/** Logs and counts that a window has moved; does nothing if it has not. Records sizes only, never content. */
export function recordPruned(
  { moved, pruned, use }: FittingContext,
  { run, provider, log }: { readonly run: Pick<Run, "runId" | "conversationId">; readonly provider: ModelProvider; readonly log: Log },
): void {
  if (!moved || !pruned) return;
  const { runId, conversationId } = run;
  const { name, model } = provider;
  log.info({ runId, conversationId, provider: name, model, ...pruned, ...use }, "the conversation was pruned to fit the model's window");
  measure(metricNames.contextPrunings, 1, {
    [attributeNames.provider]: name,
    [attributeNames.requestModel]: model,
    [attributeNames.contextStrategy]: pruned.strategy,
  });
}
