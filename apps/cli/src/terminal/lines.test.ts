import { describe, expect, it } from "vitest";
import { cut, WIDTH, wrapped } from "./lines.ts";
import { table } from "./table.ts";

describe("a line of output", () => {
  it("is cut to its width, with line breaks as spaces", () => {
    expect(cut("one\n two\tthree", 20)).toBe("one two three");
    expect(cut("abcdefghij", 5)).toBe("abcd…");
    expect(cut("abcde", 5)).toBe("abcde");
  });

  it("breaks at words, indented like its beginning, and never inside one", () => {
    expect(wrapped("  the quick brown fox", 12)).toEqual(["  the quick", "  brown fox"]);
    expect(wrapped("  one\nok  two\n\n three", 40), "a line break begins no line").toEqual(["  one ok  two three"]);
    expect(wrapped(`see ap_${"x".repeat(60)} now`, 20)).toEqual(["see", `ap_${"x".repeat(60)}`, "now"]);
  });
});

describe("a table", () => {
  it("aligns its columns under their titles and leaves no blanks at the end", () => {
    expect(
      table(
        ["RUN", "STATUS"],
        [
          ["a", "done"],
          ["bcd", ""],
        ],
      ),
    ).toEqual(["RUN  STATUS", "a    done", "bcd"]);
  });

  it("cuts only its last column, so that ids can be pasted, and fits the width", () => {
    const id = `ap_rn_00_${"X".repeat(26)}.1.0`;
    const [, row = ""] = table(["APPROVAL", "EFFECT"], [[id, "word ".repeat(40)]]);
    expect(row).toContain(id);
    expect(row).toHaveLength(WIDTH);
    expect(row.endsWith("…")).toBe(true);
  });
});
