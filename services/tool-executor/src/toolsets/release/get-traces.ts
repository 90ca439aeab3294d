import { defineTool, type Tool } from "@toolbus/tool-kit";
import { RELEASE_API, RELEASE_OWNER } from "./release-dependency.ts";
import type { ReleaseApi } from "./release-api.ts";
import { filter, PAGE, RELEASE_ID } from "./release-parameters.ts";

type Arguments = { readonly release_id: string; readonly service?: string; readonly page?: number };

/** Returns the tool that reads the traces of a release that runs somewhere. */
export function getTraces(api: ReleaseApi): Tool {
  return defineTool({
    name: "get_traces",
    kind: "read",
    description: [
      "Gets the traces that were recorded while one release ran: its operations with errors and latencies, and the traces with errors first, then the slowest.",
      'Input: release_id, for example "v1.4.0"; optionally service, the exact name of a service; and page, from 1.',
      "Output: a JSON object with release_id, totals, operations, traces, page, pages and missing. totals is null if nobody gave traces, and missing says so.",
      "Do not use it for logs or for a live system: it has only what was recorded for this release.",
    ].join("\n"),
    parameters: {
      type: "object",
      properties: { release_id: RELEASE_ID, service: filter("Only operations of this service, and traces that begin in it"), page: PAGE },
      required: ["release_id"],
      additionalProperties: false,
    },
    owner: RELEASE_OWNER,
    dependencies: [RELEASE_API],
    slo: { p99Ms: 2000, successRate: 0.99 },
    limits: { argumentBytes: 2048, callsPerMinute: 300 },
    run: ({ release_id, ...rest }: Arguments, { signal }) => api.evidence("observability-traces", release_id, rest, signal),
  });
}
