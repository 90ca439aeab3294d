import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
const DEADLINE_MS = 200_000;
const BENCH = path.resolve(import.meta.dirname, "../../bench/src/main.ts");

interface Row {
  readonly readers: number;
  readonly missing: number;
  readonly rssOpenMb: number;
  readonly rssPeakMb: number;
  readonly slow: number;
  readonly neverRead: number;
  readonly neverReadLetGo: number;
}

// The memory that the gateway would need after three seconds if it buffered everything for the slow readers and those that never read.
const FLOOD_MB = (3 * 50 * 50_000 * 40) / 1_048_576;

describe("a thousand readers of one run", () => {
  it("get every event although others are slow or never read, which cost bounded memory and are disconnected", async () => {
    const { stdout, stderr } = await run(process.execPath, [BENCH, "streams", "--seconds", "3", "--json"], { timeout: DEADLINE_MS });
    expect(stderr).toBe("");
    const { rows } = JSON.parse(stdout) as { readonly rows: readonly Row[] };
    expect(rows.map(({ readers, slow, neverRead, missing }) => ({ readers, slow, neverRead, missing }))).toEqual([
      { readers: 100, slow: 0, neverRead: 0, missing: 0 },
      { readers: 1000, slow: 0, neverRead: 0, missing: 0 },
      { readers: 1000, slow: 20, neverRead: 20, missing: 0 },
    ]);
    const last = rows[2];
    expect(last?.neverReadLetGo).toBe(20);
    expect((last?.rssPeakMb ?? Infinity) - (last?.rssOpenMb ?? 0)).toBeLessThan(FLOOD_MB);
  });
});
