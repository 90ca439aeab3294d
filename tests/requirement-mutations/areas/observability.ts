import type { Mutations } from "../mutation.ts";

/** The mutations of the rows N. */
export const observabilityMutations: Mutations = {
  "N-01": {
    breaks: "the duration of a tool call is measured in seconds",
    patches: [
      {
        file: "packages/tool-kit/src/calls/call-span.ts",
        find: "measure(metricNames.toolDuration, latencyMs, tags);",
        replace: "measure(metricNames.toolDuration, latencyMs / 1000, tags);",
      },
    ],
  },
  "N-02": {
    breaks: "a message of a person has no span of its own",
    patches: [
      {
        file: "services/gateway/src/routes/started-run.ts",
        find: "await withSpan(spanNames.conversation, {}, accepted);",
        replace: "await accepted({ recording: false, set: () => undefined, event: () => undefined, fail: () => undefined });",
      },
    ],
  },
  "N-04": {
    breaks: "the share of its window that a model call used is not measured",
    patches: [
      {
        file: "services/agent/src/traced-model.ts",
        find: "        measureWindow(reply.usage, model.capabilities, called);\n",
        replace: "",
      },
    ],
  },
  "N-06": {
    breaks: "every message of a conversation starts its own trace",
    patches: [
      {
        file: "services/gateway/src/accept.ts",
        find: "const traceparent = conversation.value.traceparent ?? accepted.traceparent;",
        replace: "const traceparent = accepted.traceparent ?? conversation.value.traceparent;",
      },
    ],
  },
  "N-07": {
    breaks: "a reader of the audit can guess arguments by their hash",
    patches: [
      {
        file: "packages/telemetry/src/tool-audit.ts",
        find: `createHmac("sha256", key).update`,
        replace: `createHmac("sha256", key.slice(0, 0)).update`,
      },
    ],
  },
  "N-08": {
    breaks: "the cost of a tool's own model calls is not joined to its call",
    patches: [
      {
        file: "services/agent/src/observe-run.ts",
        find: "    model: result?.metadata?.model,\n",
        replace: "",
      },
    ],
  },
  "N-09": {
    breaks: "a panel shows a metric that no service has",
    patches: [
      {
        file: "deploy/observability/grafana/toolbus-work.json",
        find: "max(toolbus_approvals_pending)",
        replace: "max(toolbus_approvals_waiting)",
      },
    ],
    without: ["tests/e2e/apart/prometheus.test.ts"],
  },
};
