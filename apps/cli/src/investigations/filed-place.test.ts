import type { Report, RunEnd } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import type { StreamItem } from "../runs/watch-run.ts";
import { filedPlace } from "./filed-place.ts";

const CALL = "rn_00_1.2.0";

/** Returns the lines about a run whose report was filed by a call with this result. */
function linesAfter(content: string, status: Report["filing"]["status"] = "filed"): readonly string[] {
  const place = filedPlace();
  place.onItem({ type: "call.resolved", callId: CALL, tool: "file_risk_report", status: "ok", content } as StreamItem);
  return place.lines({ type: "run.completed", report: { filing: { status, callId: CALL, reportId: "rr_1" } } } as RunEnd);
}

describe("the place of a filed report", () => {
  it("is the one that its target names, as text that is safe for a terminal", () => {
    expect(linesAfter('{"report_id":"rr_1","url":"/risk-report/rr_1"}')).toEqual(["Its target has the report at /risk-report/rr_1."]);
    expect(linesAfter(JSON.stringify({ url: "https://a.example/\u001b[2J\nx" }))[0]).not.toMatch(/[\u001b\n]/);
  });

  it.each([
    ["the target names none", linesAfter('{"report_id":"rr_1"}')],
    ["the answer is no JSON", linesAfter("ok")],
    ["nothing was filed", linesAfter('{"url":"/risk-report/rr_1"}', "denied")],
  ])("is not named if %s", (_, lines) => {
    expect(lines).toEqual([]);
  });
});
