import { readFileSync } from "node:fs";
import { type Toolset, toolset } from "@toolbus/tool-kit";
import { checkApi } from "./check-api.ts";
import { fileRiskReport } from "./file-risk-report.ts";
import { getCodeChanges } from "./get-code-changes.ts";
import { getPastReleases } from "./get-past-releases.ts";
import { getReleaseSummary } from "./get-release-summary.ts";
import { getTestDetails } from "./get-test-details.ts";
import { getTraces } from "./get-traces.ts";
import { type ReleaseApiOptions, releaseApi } from "./release-api.ts";

/** Returns the tools of a release API, which read the summary of a release and the evidence about it, and file a risk report. */
export function releaseToolset(options: ReleaseApiOptions): Toolset {
  const api = releaseApi(options);
  return toolset({
    name: "release",
    guide: readFileSync(new URL("guide.md", import.meta.url), "utf8"),
    tools: [getReleaseSummary(api), getTestDetails(api), getCodeChanges(api), getPastReleases(api), getTraces(api), fileRiskReport(api)],
    examples: async (signal) => {
      const newest = await api.newestRelease(signal);
      if (newest === null) return {};
      const release_id = newest.id;
      // An older API lists no evidence, and a call that it cannot answer is no example.
      const evidence = EVIDENCE_TOOLS.filter(([kind]) => newest.evidence.includes(kind)).map(([, tool]) => [tool, { release_id }] as const);
      return {
        get_release_summary: { release_id },
        ...Object.fromEntries(evidence),
        file_risk_report: { release_id, severity: "low", findings: ["An example: nothing was looked up."] },
      };
    },
    unavailable: (signal) => checkApi(options.url, signal),
  });
}

const EVIDENCE_TOOLS = [
  ["test-details", "get_test_details"],
  ["code-changes", "get_code_changes"],
  ["past-releases", "get_past_releases"],
  ["observability-traces", "get_traces"],
] as const;
