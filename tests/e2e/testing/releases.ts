import type { ReleaseSummary } from "@toolbus/example-release-api";

/** Returns a small release with a finding, for tests that are not about releases. */
export function someRelease(id: string): ReleaseSummary {
  return {
    release_id: id,
    version: id,
    source: "git",
    from: { name: "v1.0.0", commit: "0".repeat(40) },
    to: { name: id, commit: "1".repeat(40) },
    changes: ["Add payment retries", "Fix the login form"],
    change_count: 2,
    changes_omitted: 0,
    authors: [{ name: "Ada", commits: 2 }],
    files: { changed: 4, insertions: 120, deletions: 30, binary: 0, top: [], omitted: 4 },
    areas: [{ area: "src", files: 4, lines: 150 }],
    size: { commits: 2, files: 4, lines: 150 },
    tests: { passed: 140, failed: 2, skipped: 1, failures: [] },
    notes: [],
  };
}

/** The events of a release investigation with two reads and one write that waits for a person. */
export const INVESTIGATION_EVENTS = [
  "run.started",
  "turn",
  "call.resolved",
  "call.resolved",
  "turn",
  "call.held",
  "call.decided",
  "call.resolved",
  "turn",
  "run.completed",
];
