import type { JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { insightsOf } from "./insights.ts";

const record = (event: string, approvalId: string, at: number, by: string, tool = "refund"): { readonly record: JsonObject } => ({
  record: { event, approvalId, at, by, tool },
});

describe("the insights about approvals", () => {
  it("have shares and waiting times by tool and by the person whose decision ended each", async () => {
    const { all, byTool, byApprover } = await insightsOf(
      [
        ...[1, 2, 3, 4].flatMap((n) => [
          record("held", `a${n}`, 1000, "agent"),
          record("decision", `a${n}`, 1000 + n, "amy"),
          record("approved", `a${n}`, 1000 + n * 100, "amy"),
        ]),
        record("held", "b", 1000, "agent", "wire"),
        record("rejected", "b", 9000, "ben", "wire"),
        record("held", "c", 1000, "agent", "wire"),
        record("expired", "c", 11_000, "clock", "wire"),
        record("approved", "d", 5000, "policy"),
        record("held", "e", 6000, "agent"),
      ],
      0,
    );
    expect(byTool).toEqual([
      { name: "refund", ended: 4, approved: 4, denied: 0, expired: 0, byPolicy: 1, waitP50Ms: 200, waitP95Ms: 400 },
      { name: "wire", ended: 2, approved: 0, denied: 1, expired: 1, byPolicy: 0, waitP50Ms: 8000, waitP95Ms: 10_000 },
    ]);
    expect(byApprover.map(({ name, ended, approved, denied }) => ({ name, ended, approved, denied }))).toEqual([
      { name: "amy", ended: 4, approved: 4, denied: 0 },
      { name: "ben", ended: 1, approved: 0, denied: 1 },
    ]);
    expect(all).toMatchObject({ ended: 6, approved: 4, denied: 1, expired: 1, byPolicy: 1 });
  });

  it("count what ended in the period, with the whole wait of an approval that began before it", async () => {
    const records = [
      record("held", "a", 1000, "agent"),
      record("approved", "a", 5000, "amy"),
      record("held", "b", 1000, "agent"),
      record("rejected", "b", 2000, "amy"),
    ];
    expect((await insightsOf(records, 3000)).all).toMatchObject({ ended: 1, approved: 1, waitP50Ms: 4000 });
    expect((await insightsOf([], 0)).all).toMatchObject({ ended: 0, waitP50Ms: null });
  });
});
