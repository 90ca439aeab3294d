import type { Mutations } from "../mutation.ts";

/** The mutations of the rows F, and of those about deployments. */
export const productionMutations: Mutations = {
  "B-17": {
    breaks: "on Kubernetes, no request reaches a gateway",
    patches: [
      {
        file: "deploy/k8s/base/gateway.yaml",
        find: "  selector: { app.kubernetes.io/name: toolbus, app.kubernetes.io/component: gateway }\n  ports:",
        replace: "  selector: { app.kubernetes.io/name: toolbus, app.kubernetes.io/component: gateways }\n  ports:",
      },
    ],
  },
  "F-09": {
    breaks: "each pod has a token of the cluster",
    patches: [
      {
        file: "deploy/k8s/base/every-service.yaml",
        find: "      automountServiceAccountToken: false",
        replace: "      automountServiceAccountToken: true",
      },
    ],
  },
  "LV-33": {
    breaks: "workers are scaled by a queue that nobody fills",
    patches: [
      {
        file: "deploy/k8s/components/keda-rabbitmq/scaled-objects.yaml",
        find: "queueName: toolbus.queue.tool.invoke.release",
        replace: "queueName: toolbus.queue.tool.invoke.releases",
      },
    ],
  },
  "F-10": {
    breaks: "the cost of a run is not recorded by how it ended",
    patches: [
      {
        file: "services/agent/src/observe-run.ts",
        find: "measure(metricNames.runCost, costMicroUsd / 1_000_000, { ...status, [attributeNames.profile]",
        replace: "measure(metricNames.runCost, costMicroUsd / 1_000_000, { [attributeNames.profile]",
      },
    ],
  },
  "F-07": {
    breaks: "runs that go round in circles alert nobody",
    patches: [
      {
        file: "deploy/observability/rules/toolbus.yml",
        find: `          sum(increase(toolbus_runs_ended_total{error_type=~"loop|round_limit"}[30m])) > 2\n`,
        replace: `          sum(increase(toolbus_runs_ended_total{error_type=~"loop|round_limit"}[30m])) > 2000\n`,
      },
    ],
  },
  "F-08": {
    breaks: "the runbook says to roll back the model",
    patches: [
      {
        file: "docs/runbook.md",
        find: "**Roll back the version of the registry, not the model.**",
        replace: "**Roll back the model.**",
      },
    ],
  },
};
