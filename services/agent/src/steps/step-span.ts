import type { Run } from "@toolbus/contracts";
import { attributeNames, spanNames, spansAreOn, withSpan } from "@toolbus/telemetry";

/**
 * Runs one step of a run in an `invoke_agent` span. The span continues the trace of the run, whatever woke the run. If the message that woke the run
 * has another trace, the span has a link to that trace.
 */
export function withStepSpan<T>(run: Run, provider: string, work: () => Promise<T>): Promise<T> {
  const { runId, conversationId, agent, traceparent, modelFailures } = run;
  // Nothing would be recorded, and no trace has to be passed on.
  if (traceparent === undefined && !spansAreOn()) return work();
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
        // Each attempt at a model call is a separate step. So the span of the step contains the number of the attempt and the wait before it.
        [attributeNames.attempt]: (modelFailures?.count ?? 0) + 1,
        ...(modelFailures ? { [attributeNames.waitedMs]: modelFailures.waitMs } : {}),
      },
    },
    work,
  );
}
