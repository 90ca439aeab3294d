import { defineTool, type Tool } from "@toolbus/tool-kit";
import { RELEASE_API, RELEASE_OWNER } from "./release-dependency.ts";
import type { ReleaseApi } from "./release-api.ts";
import { filter, PAGE, RELEASE_ID } from "./release-parameters.ts";

type Arguments = { readonly release_id: string; readonly status?: string; readonly path?: string; readonly page?: number };

/** Returns the tool that reads the test cases, the coverage and the CI jobs of a release. */
export function getTestDetails(api: ReleaseApi): Tool {
  return defineTool({
    name: "get_test_details",
    kind: "read",
    description: [
      "Gets the test cases of one release with failures first, the coverage of its tests, and the jobs of its CI pipelines.",
      'Input: release_id, for example "v1.4.0"; optionally status, one of failed, skipped, passed; path, the beginning of a file or suite such as "src/pay"; and page, from 1.',
      "Output: a JSON object with release_id, tests, cases, coverage, ci, page, pages and missing. A part that nobody measured is null or empty, and missing says so.",
      "Do not use it to run tests or to read their logs. Nothing about tests means that they are unknown, not that they pass.",
    ].join("\n"),
    parameters: {
      type: "object",
      properties: {
        release_id: RELEASE_ID,
        status: { type: "string", enum: ["failed", "skipped", "passed"], description: "Only cases with this result" },
        path: filter('Only cases and covered files whose file or suite begins with this, for example "src/pay"'),
        page: PAGE,
      },
      required: ["release_id"],
      additionalProperties: false,
    },
    owner: RELEASE_OWNER,
    dependencies: [RELEASE_API],
    slo: { p99Ms: 2000, successRate: 0.99 },
    limits: { argumentBytes: 4096, callsPerMinute: 300 },
    run: ({ release_id, ...rest }: Arguments, { signal }) => api.evidence("test-details", release_id, rest, signal),
  });
}
