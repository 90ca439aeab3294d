import { describe, expect, it } from "vitest";
import { assessRelease } from "./assess-release.ts";
import { readReleaseFacts } from "./release-facts.ts";

describe("release facts", () => {
  it("reads the answer of a release API", () => {
    const summary = {
      release_id: "v1.1.0",
      version: "v1.1.0",
      source: "git",
      from: { name: "v1.0.0", commit: "a1" },
      to: { name: "v1.1.0", commit: "b2", committed_at: "2026-11-20T10:00:00.000Z" },
      change_count: 3,
      changes: ["One", "Two"],
      changes_omitted: 1,
      authors: [{ name: "Ada", commits: 3 }],
      files: { changed: 2, insertions: 7, deletions: 3, binary: 0, top: [{ path: "src/a.ts", insertions: 7, deletions: 3 }], omitted: 1 },
      areas: [{ area: "src", files: 2, lines: 10 }],
      size: { commits: 3, files: 2, lines: 10 },
      tests: { passed: 4, failed: 1, skipped: 2, failures: [{ name: "adds", suite: "sums", message: "no" }] },
      deployment_metrics: { error_rate: 0.5, response_time_p95: 20, baseline: { error_rate: 0.1, response_time_p95: 10 } },
      notes: ["From the first commit."],
    };
    expect(readReleaseFacts(JSON.stringify(summary))).toEqual({
      releaseId: "v1.1.0",
      version: "v1.1.0",
      from: "v1.0.0",
      to: "v1.1.0",
      isWholeHistory: false,
      madeAt: Date.UTC(2026, 10, 20, 10),
      changes: ["One", "Two"],
      changeCount: 3,
      authors: ["Ada"],
      paths: ["src", "src/a.ts"],
      filesChanged: 2,
      changedLines: 10,
      tests: { passed: 4, failed: 1, skipped: 2, failures: ["sums › adds"] },
      metrics: { errorRate: 0.5, p95: 20, baseline: { errorRate: 0.1, p95: 10 } },
      notes: ["From the first commit."],
      unreadable: [],
    });
  });

  it.each(["", "no JSON", "null", "[]", '"text"', "7", '{"a":'])("has none in %j", (content) => {
    expect(readReleaseFacts(content)).toBeNull();
  });

  it("survives every odd value in every part", () => {
    const parts = [
      "release_id",
      "version",
      "from",
      "to",
      "changes",
      "change_count",
      "authors",
      "files",
      "areas",
      "size",
      "tests",
      "deployment_metrics",
      "notes",
    ];
    const odd = [
      null,
      true,
      -1,
      1e300,
      0.5,
      "",
      "text",
      [],
      [null],
      [[]],
      [{}],
      [{ name: 1, subject: [], path: {} }],
      {},
      { failed: -1 },
      { failed: "2" },
    ];
    const deep = [
      { failed: 1, failures: [null, 3, {}, "x"] },
      { error_rate: -1, baseline: 3 },
      { error_rate: 0.1, baseline: {} },
      { insertions: "9" },
      { top: 4 },
    ];
    for (const part of parts) {
      for (const value of [...odd, ...deep]) {
        const facts = readReleaseFacts(JSON.stringify({ [part]: value }));
        const assessed = facts && assessRelease(facts);
        expect((assessed?.findings.length ?? 0) + (assessed?.unknowns.length ?? 0), `${part}: ${JSON.stringify(value)}`).toBeGreaterThan(0);
      }
    }
  });

  it("reads only the first thousand items of a list", () => {
    expect(readReleaseFacts(JSON.stringify({ changes: Array(5000).fill("One") }))?.changes).toHaveLength(1000);
  });
});
