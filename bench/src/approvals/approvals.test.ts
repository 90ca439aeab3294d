import { describe, expect, it } from "vitest";
import { findServer } from "@toolbus/testing/servers";
import { approvalsBench } from "./approvals.ts";

/** Returns a stopwatch that adds an hour at each reading, so every slice is one piece of work. */
function hourly() {
  let hours = 0;
  return { now: () => 3_600_000 * ++hours, cpuMs: () => 0 };
}

const found = await findServer("redis");
const servers = { rabbitmq: "", nats: "", redis: "missing" in found ? null : found.url, postgres: "" };
const sizes = { few: 3, many: 40, expiries: 5, expiresMs: 1000 };

describe.skipIf("missing" in found)("the approvals benchmark", () => {
  it("pages, decides and expires for real, on both stores, in every row", async () => {
    const conditions = { seconds: 1, stopwatch: hourly(), signal: new AbortController().signal };
    const { rows } = await approvalsBench(conditions, { servers }, sizes);
    expect(rows).toMatchObject(
      ["Redis", "SQLite"].flatMap((store) =>
        ["a page of the list", "one request and its decision", "5 expiries"].map((what) => ({
          name: `${store}: ${what}, 40 pending against 3`,
          ratio: 1,
        })),
      ),
    );
  }, 120_000);

  it("stops when it is interrupted", async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(approvalsBench({ seconds: 1, stopwatch: hourly(), signal }, { servers }, sizes)).rejects.toThrow("interrupted");
  });
});
