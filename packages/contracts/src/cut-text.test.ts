import { describe, expect, it } from "vitest";
import { cutText, headOf } from "./cut-text.ts";

describe("cutting a text", () => {
  it("leaves one alone that is short enough", () => {
    expect(cutText("whole", 5)).toBe("whole");
    expect(headOf("whole", 9)).toBe("whole");
  });

  it("says how many characters are left out", () => {
    expect(cutText("abcdefghij", 4)).toBe("abcd\n[truncated: 6 more characters left out]");
  });

  it("halves no character", () => {
    expect(headOf("a😀b", 2)).toBe("a");
    expect(headOf("a😀b", 3)).toBe("a😀");
    expect(cutText("a😀b", 2)).toBe("a\n[truncated: 3 more characters left out]");
  });

  it("gives nothing of a text for no characters", () => {
    expect([headOf("a😀", 0), headOf("", 3), headOf("😀", 1)]).toEqual(["", "", ""]);
  });
});
