import { describe, expect, it } from "vitest";
import { cutText, headOf } from "./cut-text.ts";

describe("cutting a text", () => {
  it("leaves a short text unchanged", () => {
    expect(cutText("whole", 5)).toBe("whole");
    expect(headOf("whole", 9)).toBe("whole");
  });

  it("says how many characters are left out", () => {
    expect(cutText("abcdefghij", 4)).toBe("abcd\n[truncated: 6 more characters left out]");
  });

  it("never splits a character", () => {
    expect(headOf("a😀b", 2)).toBe("a");
    expect(headOf("a😀b", 3)).toBe("a😀");
    expect(cutText("a😀b", 2)).toBe("a\n[truncated: 3 more characters left out]");
  });

  it("gives an empty text for zero characters", () => {
    expect([headOf("a😀", 0), headOf("", 3), headOf("😀", 1)]).toEqual(["", "", ""]);
  });
});
