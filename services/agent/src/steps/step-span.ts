import type { Run } from "@toolbus/contracts";
import { attributeNames, spanNames, withSpan } from "@toolbus/telemetry";

/**
 * Runs one step of a run within its `invoke_agent` span, which continues the trace of the run's conversation whatever woke the run: a message of another
 * trace is linked.
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
        // An attempt at a model call is a separate step, so its span says which attempt it is and why it was postponed.
        [attributeNames.attempt]: (modelFailures?.count ?? 0) + 1,
        ...(modelFailures ? { [attributeNames.waitedMs]: modelFailures.waitMs } : {}),
      },
    },
    work,
  );
}
