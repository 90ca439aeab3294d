import { type Finding, type Findings, graver } from "./finding.ts";
import { percent, times } from "./figures.ts";
import type { MetricFacts, ReleaseFacts } from "./release-facts.ts";
import { constants, severityOf } from "./thresholds.ts";

/**
 * Returns the findings from the deployment's metrics, alone and in comparison with their baseline. Absent figures are unknown and do not raise the
 * severity.
 */
export function metricFindings({ metrics }: Pick<ReleaseFacts, "metrics">): Findings {
  if (!metrics) return { findings: [], unknowns: ["Deployment metrics: none were reported."] };
  const groups = [errorRate(metrics), responseTime(metrics)];
  return { findings: groups.flatMap((group) => group.findings), unknowns: groups.flatMap((group) => group.unknowns) };
}

function errorRate({ errorRate: rate, baseline }: MetricFacts): Findings {
  if (rate === null) return { findings: [], unknowns: ["Error rate: not reported as a share from 0 to 1."] };
  const before = baseline?.errorRate ?? null;
  const growth = before === null ? null : rate / Math.max(before, constants.errorRateFloor.value);
  const severity = graver(severityOf("errorRate", rate), severityOf("errorRateGrowth", growth ?? 0));
  const against = before === null ? "" : `, its baseline is ${percent(before)}`;
  const grown =
    before !== null && growth !== null && before >= constants.errorRateFloor.value && growth > 1 ? ` (${times(growth)} as high)` : "";
  const finding: Finding = {
    severity,
    text: `The error rate is ${percent(rate)}${against}${grown}.`,
    basis: "deployment_metrics.error_rate",
    rule: "error-rate",
  };
  return { findings: [finding], unknowns: before === null ? ["Error rate: no baseline to compare with."] : [] };
}

function responseTime({ p95, baseline }: MetricFacts): Findings {
  if (p95 === null) return { findings: [], unknowns: ["Response time: not reported."] };
  const before = baseline?.p95 ?? null;
  const found = { basis: "deployment_metrics.response_time_p95", rule: "response-time" } as const;
  if (before === null || before === 0) {
    const text = `The 95th percentile of response time is ${p95} ms.`;
    return {
      findings: [{ severity: "low", text, ...found }],
      unknowns: ["Response time: no baseline to compare with, so whether it became slower."],
    };
  }
  const growth = p95 / before;
  const grown = growth > 1 ? ` (${times(growth)} as high)` : "";
  const text = `The 95th percentile of response time is ${p95} ms, its baseline is ${before} ms${grown}.`;
  return { findings: [{ severity: severityOf("p95Growth", growth), text, ...found }], unknowns: [] };
}
