import { protectionOf } from "@toolbus/contracts";
import { attributeNames, type Metric, metricNames, observeGauge } from "@toolbus/telemetry";
import type { Toolset } from "../tool/toolset.ts";

/**
 * Shows what the definitions of a toolset promise (the SLO of each tool, and the latency budget of each dependency) as metrics, so that alerts can compare
 * the measured values with them. Tools that are added later are not shown.
 */
export function observePromises(toolset: Toolset): { stop(): Promise<void> } {
  const observed = toolset.list().flatMap(({ definition }) => {
    const { name, owner, slo } = definition;
    const tags = { [attributeNames.toolNameTag]: name, [attributeNames.owner]: owner ?? toolset.name };
    const show = (metric: Metric, value: number | undefined, more = {}): (() => void)[] =>
      value === undefined ? [] : [observeGauge(metric, async () => value, { ...tags, ...more })];
    return [
      ...show(metricNames.toolSloP99, slo?.p99Ms),
      ...show(metricNames.toolSloSuccess, slo?.successRate),
      ...(protectionOf(definition).dependencies ?? []).flatMap(({ name: dependency, p99Ms }) =>
        show(metricNames.dependencyBudget, p99Ms, { [attributeNames.dependency]: dependency }),
      ),
    ];
  });
  return {
    async stop() {
      for (const end of observed) end();
    },
  };
}
