import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readMetrics } from "./metrics.ts";
import { scratchFolder } from "../testing/index.ts";

async function read(content: string) {
  using folder = scratchFolder();
  const file = join(folder.path, "metrics.json");
  writeFileSync(file, content);
  return await readMetrics(file);
}

describe("deployment metrics", () => {
  it("reads the figures, with and without a baseline", async () => {
    expect(await read('{"error_rate":0,"response_time_p95":450}')).toEqual({
      ok: true,
      metrics: { error_rate: 0, response_time_p95: 450 },
    });
    expect(await read('{"error_rate":0.05,"response_time_p95":450,"baseline":{"error_rate":0.01,"response_time_p95":300.5}}')).toEqual({
      ok: true,
      metrics: { error_rate: 0.05, response_time_p95: 450, baseline: { error_rate: 0.01, response_time_p95: 300.5 } },
    });
  });

  it.each([
    ["no JSON", "error_rate=1", "is not JSON."],
    ["a list", "[]", "an object with the figures is expected."],
    ["an unknown field", '{"error_rate":0,"response_time_p95":1,"p99":2}', '"p99" is not a known field'],
    ["a percentage", '{"error_rate":2,"response_time_p95":1}', "error_rate must be a share from 0 to 1"],
    ["a missing figure", '{"error_rate":0}', "response_time_p95 must be a number"],
    ["an endless time", '{"error_rate":0,"response_time_p95":1e999}', "response_time_p95 must be a number"],
    ["text for a figure", '{"error_rate":"0.1","response_time_p95":1}', "error_rate must be"],
    ["a baseline that is not an object", '{"error_rate":0,"response_time_p95":1,"baseline":null}', "in baseline, an object"],
    [
      "a baseline of a baseline",
      '{"error_rate":0,"response_time_p95":1,"baseline":{"baseline":{}}}',
      'in baseline, "baseline" is not a known field',
    ],
  ])("refuses %s in one sentence", async (_what, content, sentence) => {
    const outcome = await read(content);
    expect(outcome).toEqual({ ok: false, message: expect.stringMatching(/^[^\n]+\.$/) });
    expect(outcome).toMatchObject({ message: expect.stringContaining(sentence) });
  });
});
