import { readFileSync } from "node:fs";
import { type Toolset, toolset } from "@toolbus/tool-kit";
import { checkApi } from "./check-api.ts";
import { fileRiskReport } from "./file-risk-report.ts";
import { getReleaseSummary } from "./get-release-summary.ts";
import { type ReleaseApiOptions, releaseApi } from "./release-api.ts";

/** Returns the tools of a release API, which read the summary of a release and file a risk report about it. */
export function releaseToolset(options: ReleaseApiOptions): Toolset {
  const api = releaseApi(options);
  return toolset({
    name: "release",
    guide: readFileSync(new URL("guide.md", import.meta.url), "utf8"),
    tools: [getReleaseSummary(api), fileRiskReport(api)],
    examples: async (signal) => {
      const newest = await api.newestRelease(signal);
      if (newest === null) return {};
      return {
        get_release_summary: { release_id: newest },
        file_risk_report: { release_id: newest, severity: "low", findings: ["An example: nothing was looked up."] },
      };
    },
    unavailable: (signal) => checkApi(options.url, signal),
  });
}
