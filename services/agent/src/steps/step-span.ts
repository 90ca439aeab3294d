import type { Run } from "@toolbus/contracts";
import { attributeNames, spanNames, withSpan } from "@toolbus/telemetry";

/**
 * Runs one step of a run in its `invoke_agent` span. The span continues the trace of the run, whatever woke the run. A message of another trace is
 * linked.
 */
export function withStepSpan<T>(run: Run, provider: string, work: () => Promise<T>): Promise<T> {
  const { runId, conversationId, agent, traceparent, modelFailures } = run;
  return withSpan(
    spanNames.invokeAgent(agent),
    {
      parent: { how: "continued", carrier: { traceparent } },
      inherited: { [attributeNames.service]: "agent", [attributeNames.conversationId]: conversationId, [attributeNames.runId]: runId },
      attributes: {
        [attributeNames.operation]: "invoke_agent",
        [attributeNames.provider]: provider,
        [attributeNames.agentName]: agent,
        [attributeNames.profile]: run.profile,
        [attributeNames.round]: run.round,
        [attributeNames.epoch]: run.epoch,
        // Each attempt at a model call is a separate step, so its span says which attempt it is and how long it was postponed.
        [attributeNames.attempt]: (modelFailures?.count ?? 0) + 1,
        ...(modelFailures ? { [attributeNames.waitedMs]: modelFailures.waitMs } : {}),
      },
    },
    work,
  );
}
