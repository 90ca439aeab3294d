import type { Run } from "@toolbus/contracts";
import type { ModelCapabilities, ModelProvider, ModelUsage } from "@toolbus/models";
import { attributeNames, type Attributes, type Log, measure, metricNames } from "@toolbus/telemetry";
import type { FittingContext } from "./context-plan.ts";

/** Returns how much of the model's window a turn used and how much was left, by the vendor's count, for the span of the model call. */
export function windowAttributes(
  { inputTokens, outputTokens }: Pick<ModelUsage, "inputTokens" | "outputTokens">,
  { contextTokens }: Pick<ModelCapabilities, "contextTokens">,
): Attributes {
  const used = inputTokens + outputTokens;
  return { [attributeNames.windowUsed]: used, [attributeNames.windowLeft]: Math.max(0, contextTokens - used) };
}

/** Measures the share of the model's window that a call used. */
export function measureWindow(
  { inputTokens, outputTokens }: Pick<ModelUsage, "inputTokens" | "outputTokens">,
  { contextTokens }: Pick<ModelCapabilities, "contextTokens">,
  tags: Attributes,
): void {
  measure(metricNames.windowUse, (inputTokens + outputTokens) / contextTokens, tags);
}

/** Logs and counts a move of the window. Does nothing if the window has not moved. Records only sizes, never content. */
export function recordPruned(
  { moved, pruned, use }: FittingContext,
  { run, provider, log }: { readonly run: Pick<Run, "runId" | "conversationId">; readonly provider: ModelProvider; readonly log: Log },
): void {
  if (!moved || !pruned) return;
  const { runId, conversationId } = run;
  const { name, model } = provider;
  log.info({ runId, conversationId, provider: name, model, ...pruned, ...use() }, "the conversation was pruned to fit the model's window");
  measure(metricNames.contextPrunings, 1, {
    [attributeNames.provider]: name,
    [attributeNames.requestModel]: model,
    [attributeNames.contextStrategy]: pruned.strategy,
  });
}
