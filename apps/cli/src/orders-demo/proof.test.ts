import { describe, expect, it } from "vitest";
import { faultsOf, rowsBetween, rowsInWords, type ToldCall } from "./proof.ts";

const effects = (...ids: readonly string[]) => ({
  refunds: ids.map((refund) => ({ refund, order: "ORD-1", amount: 5, reason: "Damaged." })),
  mails: [],
  tickets: [],
  addressChanges: [],
  balances: {},
});
const write = (status: string, ...rows: string[]): ToldCall => ({
  callId: "1",
  tool: "issue_refund",
  status,
  tier: "high",
  decidedBy: ["bo"],
  rows,
});

describe("the proof of the story", () => {
  it("finds the rows that a step added", () => {
    expect(rowsBetween(effects("RF-1"), effects("RF-1", "RF-2"))).toEqual(["RF-2"]);
  });

  it.each([
    [write("ok", "RF-1"), []],
    [write("denied"), []],
    [write("outcome_unknown"), []],
    [write("outcome_unknown", "RF-1"), []],
    [write("ok"), ["issue_refund ended as ok, but the shop's database has 0 new rows."]],
    [write("ok", "RF-1", "RF-2"), ["issue_refund ended as ok, but the shop's database has 2 new rows."]],
    [write("denied", "RF-1"), ["issue_refund ended as denied, but the shop's database has 1 new row."]],
    [write("outcome_unknown", "RF-1", "RF-2"), ["issue_refund ended as outcome_unknown, but the shop's database has 2 new rows."]],
    [{ ...write("ok", "RF-1"), tier: null }, ["issue_refund ended as ok, but the shop's database has 1 new row."]],
  ])("compares %j with the database", (call, faults) => {
    expect(faultsOf([call])).toEqual(faults);
  });

  it("does not claim to know an unknown outcome", () => {
    expect(rowsInWords(write("outcome_unknown", "ML-1"))).toBe("one row: ML-1, which Toolbus does not claim to know");
    expect(rowsInWords(write("denied"))).toBe("no row");
  });
});
