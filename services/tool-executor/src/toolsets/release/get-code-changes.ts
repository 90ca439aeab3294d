import { defineTool, type Tool } from "@toolbus/tool-kit";
import { RELEASE_API, RELEASE_OWNER } from "./release-dependency.ts";
import type { ReleaseApi } from "./release-api.ts";
import { filter, PAGE, RELEASE_ID } from "./release-parameters.ts";

type Arguments = {
  readonly release_id: string;
  readonly area?: string;
  readonly path?: string;
  readonly kind?: string;
  readonly page?: number;
};

/** Returns the tool that reads what a release changed in the code. */
export function getCodeChanges(api: ReleaseApi): Tool {
  return defineTool({
    name: "get_code_changes",
    kind: "read",
    description: [
      "Gets facts about the code changes of one release, in pages of about 20 KiB: commits, files by kind, exported names, dependencies and owners.",
      'Input: release_id, for example "v1.4.0"; optionally area, a folder such as "packages/bus"; path, a file or pattern such as "src/**/*.sql"; kind, such as "migration"; and page, from 1.',
      "Output: a JSON object with release_id, base, head and facts. Counts named omitted say how much a list lacks, and notes say how many pages there are.",
      "Do not use it to read lines of code, which it never returns, nor for a release whose name you do not know: ask for the name instead.",
    ].join("\n"),
    parameters: {
      type: "object",
      properties: {
        release_id: RELEASE_ID,
        area: filter('Only what lies in this folder, for example "packages/bus"'),
        path: filter('Only files with this path or pattern, for example "src/**/*.sql"'),
        kind: {
          type: "string",
          enum: KINDS,
          description: "Only files of this kind",
        },
        page: PAGE,
      },
      required: ["release_id"],
      additionalProperties: false,
    },
    owner: RELEASE_OWNER,
    dependencies: [RELEASE_API],
    slo: { p99Ms: 15_000, successRate: 0.99 },
    limits: { argumentBytes: 4096, callsPerMinute: 300 },
    // The API reads the repository before its first answer about a release.
    timeoutMs: 20_000,
    noGoldenCall: "The first answer about a release may take the API many seconds, because it reads the repository.",
    run: ({ release_id, ...rest }: Arguments, { signal }) => api.evidence("code-changes", release_id, rest, signal),
  });
}

const KINDS = [
  "migration",
  "code",
  "manifest",
  "config",
  "types",
  "lockfile",
  "ci",
  "test",
  "example",
  "docs",
  "vendored",
  "generated",
  "asset",
  "other",
];
