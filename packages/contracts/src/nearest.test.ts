import { expect, it } from "vitest";
import { nearest } from "./nearest.ts";

const names = ["get_release_summary", "file_risk_report"];

it.each([
  ["get_release_sumary", "get_release_summary"],
  ["GET_RELEASE_SUMMARY", "get_release_summary"],
  ["file_risk_reports", "file_risk_report"],
  ["order", null],
  ["", null],
])("the tool meant by %j is %j", (typed, meant) => expect(nearest(typed, names)).toBe(meant));
