import { defineTool, type Tool } from "@toolbus/tool-kit";
import { RELEASE_API, RELEASE_OWNER } from "./release-dependency.ts";
import type { ReleaseApi } from "./release-api.ts";

/** Returns the tool for the read at the start of an investigation. */
export function getReleaseSummary(api: ReleaseApi): Tool {
  return defineTool({
    name: "get_release_summary",
    kind: "read",
    description: [
      "Gets the summary of one release: its changes, authors, changed files and areas, size and, where they were measured, test results and deployment metrics.",
      'Input: release_id, the name of the release, 1 to 200 characters, for example "v1.4.0".',
      "Output: a JSON object with release_id, version, from, to, changes, change_count, authors, files, areas, size, and tests and deployment_metrics when there are any; a part that nobody measured is absent.",
      "Do not use it to search for releases, to read code or logs, or for a release whose name you do not know: ask for the name instead.",
    ].join("\n"),
    parameters: {
      type: "object",
      properties: {
        release_id: {
          type: "string",
          minLength: 1,
          maxLength: 200,
          pattern: "^[^\\u0000-\\u001f]+$",
          description: 'Name of the release, for example "v1.4.0"',
        },
      },
      required: ["release_id"],
      additionalProperties: false,
    },
    owner: RELEASE_OWNER,
    dependencies: [RELEASE_API],
    slo: { p99Ms: 2000, successRate: 0.99 },
    limits: { argumentBytes: 2048, callsPerMinute: 600 },
    run: ({ release_id }: { readonly release_id: string }, { signal }) => api.summary(release_id, signal),
  });
}
