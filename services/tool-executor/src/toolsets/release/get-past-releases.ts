import { defineTool, type Tool } from "@toolbus/tool-kit";
import { RELEASE_API, RELEASE_OWNER } from "./release-dependency.ts";
import type { ReleaseApi } from "./release-api.ts";
import { PAGE, RELEASE_ID } from "./release-parameters.ts";

type Arguments = { readonly release_id: string; readonly page?: number };

/** Returns the tool that compares a release with the releases before it. */
export function getPastReleases(api: ReleaseApi): Tool {
  return defineTool({
    name: "get_past_releases",
    kind: "read",
    description: [
      "Gets the releases before one release, newest first, and the size of this release beside the usual size.",
      'Input: release_id, for example "v1.4.0"; optionally page, from 1.',
      "Output: a JSON object with release_id, size, usual_size, total, releases, page, pages and missing. Each past release has its tag, date, size, number of reverts and days to the next release, and its tests, metrics and filed reports if they are known.",
      "Do not use it to search for a release by its content. A short time to the next release is a hint at a repair, not a proof.",
    ].join("\n"),
    parameters: {
      type: "object",
      properties: { release_id: RELEASE_ID, page: PAGE },
      required: ["release_id"],
      additionalProperties: false,
    },
    owner: RELEASE_OWNER,
    dependencies: [RELEASE_API],
    slo: { p99Ms: 10_000, successRate: 0.99 },
    limits: { argumentBytes: 2048, callsPerMinute: 300 },
    // The API asks git about each earlier release before its first answer.
    timeoutMs: 20_000,
    run: ({ release_id, ...rest }: Arguments, { signal }) => api.evidence("past-releases", release_id, rest, signal),
  });
}
