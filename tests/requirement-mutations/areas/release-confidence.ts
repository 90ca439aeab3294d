import type { Mutations } from "../mutation.ts";

/** The mutations of the rows Z. */
export const releaseConfidenceMutations: Mutations = {
  "Z-01": {
    breaks: "the summary of a release has its response time under another name",
    patches: [
      {
        file: "packages/release-facts/src/measurements/metrics.ts",
        find: "metrics: { error_rate, response_time_p95 }, baseline",
        replace: "metrics: { error_rate, p95: response_time_p95 }, baseline",
      },
    ],
  },
  "Z-02": {
    breaks: "a risk report is filed by a tool that claims only to compute, so nobody is asked",
    patches: [
      {
        file: "services/tool-executor/src/toolsets/release/file-risk-report.ts",
        find: `    kind: "write",`,
        replace: `    kind: "compute",`,
      },
      {
        file: "services/tool-executor/src/toolsets/release/file-risk-report.ts",
        find: `    idempotency: { mode: "key", keepsForMs: KEY_KEPT_MS },\n`,
        replace: "",
      },
      {
        file: "services/tool-executor/src/toolsets/release/file-risk-report.ts",
        find: "    prepare: (report: RiskReport): RiskReport => report,\n    run: (report, { idempotencyKey, signal }) => api.fileReport(report, idempotencyKey, signal),",
        replace: "    run: (report: RiskReport, { callId, signal }) => api.fileReport(report, callId, signal),",
      },
    ],
  },
  "Z-03": {
    breaks: "a risky release is rated by its mildest finding",
    patches: [
      {
        file: "packages/models/src/offline/assess-release.ts",
        find: 'severity: findings[0]?.severity ?? "low"',
        replace: 'severity: findings.at(-1)?.severity ?? "low"',
      },
    ],
  },
  "Z-04": {
    breaks: "each page of code changes is the first one, and an older API looks as if it were down",
    patches: [
      {
        file: "packages/release-facts/src/facts-page.ts",
        find: "const chosen = pages[page - 1];",
        replace: "const chosen = pages[0];",
      },
      {
        file: "services/tool-executor/src/toolsets/release/evidence-answer.ts",
        find: "if (answer.status !== 404 && answer.status !== 405 && answer.status !== 501) return undefined;",
        replace: "if (answer.status !== 999) return undefined;",
      },
      {
        file: "examples/release-api/src/test-details.ts",
        find: "commit.toLowerCase() === head;",
        replace: "commit.toLowerCase() !== head;",
      },
    ],
  },
  "Z-05": {
    breaks: "the mock of the release API has no release of its own",
    patches: [
      {
        file: "examples/release-api/src/main.ts",
        find: "allowRecorded: recorded,",
        replace: "allowRecorded: false && recorded,",
      },
    ],
  },
  "Z-06": {
    breaks: "the demo pack refunds more than 10,000 EUR",
    patches: [
      {
        file: "examples/orders-worker/src/tools/issue-refund.ts",
        find: "maximum: 10_000 }",
        replace: "maximum: 100_000 }",
      },
    ],
  },
};
