import { attributes } from "@toolbus/contracts";
import {
  attributeNames,
  type Attributes,
  measure,
  metricNames,
  metricsAreOn,
  type Span,
  spanNames,
  spansAreOn,
  withDeliverySpan,
} from "@toolbus/telemetry";
import type { InvokeContext, Outcome } from "./invoke-context.ts";
import type { ToolCall } from "../tool/tool-call.ts";
import type { Executor, Toolset } from "../tool/toolset.ts";

/**
 * Handles one delivery of a call. The span of the delivery becomes its `execute_tool` span, below the span of the agent that sent the call. Telemetry
 * records the tool, the status and the duration, but never arguments, results or error messages.
 */
export function withCallSpan(call: ToolCall, context: InvokeContext, work: () => Promise<Outcome>): Promise<Outcome> {
  // Nothing would be recorded, and no trace has to be passed on.
  if (!spansAreOn() && !metricsAreOn() && call.message.attributes[attributes.traceparent] === undefined) return work();
  const { callId, toolName, invoke, dispatch } = call;
  const { tool, name, shared } = aboutTool(context.toolset, context.toolset.find(toolName, call.toolVersion));
  const own = {
    [attributeNames.toolCallId]: callId,
    [attributeNames.conversationId]: invoke.sessionId,
    [attributeNames.dispatch]: dispatch,
  };
  const parent = { how: "made", carrier: call.message.attributes } as const;
  return withDeliverySpan(name, { shared, attributes: own, parent }, async (span) => {
    const outcome = await work();
    recordOutcome(span, outcome);
    if (outcome.kind === "answer") measureAnswer(tool, outcome.result.status, context.monotonic() - call.startedMonotonic);
    return outcome;
  });
}

interface AboutTool {
  readonly tool: string;
  readonly name: string;
  readonly shared: Attributes;
}

/** What all calls of a tool have in common. An executor belongs to one toolset. */
const known = new WeakMap<Executor, AboutTool>();

function aboutTool(toolset: Toolset, executor: Executor | undefined): AboutTool {
  const kept = executor && known.get(executor);
  if (kept) return kept;
  const about = describe(toolset, executor);
  if (executor) known.set(executor, about);
  return about;
}

function describe(toolset: Toolset, executor: Executor | undefined): AboutTool {
  // An unregistered name is text from the sender, so telemetry does not record it.
  const tool = executor?.definition.name ?? "unknown";
  const shared = {
    [attributeNames.operation]: "execute_tool",
    [attributeNames.toolName]: tool,
    [attributeNames.toolType]: "function",
    [attributeNames.toolset]: toolset.name,
    [attributeNames.toolKind]: executor?.definition.kind,
    [attributeNames.toolVersion]: executor?.definition.version,
  };
  return { tool, name: spanNames.executeTool(tool), shared };
}

function recordOutcome(span: Span, outcome: Outcome): void {
  const status = outcome.kind === "answer" ? outcome.result.status : outcome.kind;
  span.set({ [attributeNames.status]: status });
  if (outcome.kind === "answer" && outcome.result.isError) span.fail(outcome.result.error?.code ?? status);
}

function measureAnswer(tool: string, status: string, latencyMs: number): void {
  const tags = { [attributeNames.toolNameTag]: tool, [attributeNames.statusTag]: status };
  measure(metricNames.toolInvocations, 1, tags);
  measure(metricNames.toolDuration, latencyMs, tags);
}
