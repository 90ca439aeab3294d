import { replayRecord } from "@toolbus/agent";
import { parseRunRecord } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { kindsOf } from "./kinds-of-run.ts";
import recorded from "./recorded-runs.json" with { type: "json" };

const records = recorded.map((value) => {
  const parsed = parseRunRecord(value);
  if (!parsed.ok) throw new Error("A recorded run breaks its schema: record the runs again with record-runs.ts.");
  return parsed.value;
});

describe("a run that an earlier build recorded", () => {
  it.each(records)("is made again by this build, byte by byte: $run.runId", async (record) => {
    expect((await replayRecord(record)).difference).toBeNull();
  });

  it("is one of many kinds, so that a changed transition is found", () => {
    const kinds = new Set(records.flatMap(kindsOf));
    for (const kind of ["read", "denied", "revised", "edited", "cancelled", "question", "model call retried", "queued"] as const)
      expect(kinds).toContain(kind);
  });
});
