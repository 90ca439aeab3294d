import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

function evals(...args: readonly string[]) {
  return spawnSync(process.execPath, [join(import.meta.dirname, "main.ts"), ...args], {
    encoding: "utf8",
    timeout: 60_000,
    maxBuffer: 64 * 1024 * 1024,
  });
}

describe("npm run evals", () => {
  it("explains itself", () => {
    const { status, stdout } = evals("--help");
    expect({ status, first: stdout.split("\n")[0] }).toEqual({
      status: 0,
      first: "Scores the offline rules against real releases with labels.",
    });
  });

  it("ends with 1 and one sentence after a mistake", () => {
    const { status, stdout, stderr } = evals("releases", "--split", "all");
    expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: '--split must be tuning or held-out, not "all".\n' });
  });

  it("prints one JSON document with the scores, and with the differences if it is asked for them", () => {
    const { status, stdout } = evals("releases", "--split", "tuning", "--json", "--explain");
    const { comparisons, misses } = JSON.parse(stdout);
    expect(status).toBe(0);
    expect(comparisons).toMatchObject([
      { split: "tuning", now: { releases: 1933, precisionOfKind: { migration: { share: expect.any(Number) } } } },
    ]);
    expect(misses.length).toBeGreaterThan(0);
  });
});
