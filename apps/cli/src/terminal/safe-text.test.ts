import { describe, expect, it } from "vitest";
import { safeText, safeValue } from "./safe-text.ts";

describe("external text", () => {
  it.each([
    ["moves the cursor", "\u001b[2J", "\\x1b[2J"],
    ["moves the cursor with one character", "\u009b2J", "\\x9b2J"],
    ["goes back over its line", "safe\rfake", "safe\\x0dfake"],
    ["rubs out", "a\bb\u007f", "a\\x08b\\x7f"],
    ["rings", "\u0007", "\\x07"],
    ["turns the writing round", "\u202egnp.exe", "\\u202egnp.exe"],
  ])("that %s is shown as an escape", (_what, text, shown) => expect(safeText(text)).toBe(shown));

  it("keeps line breaks, tabs, letters of every script and emoji", () => {
    const text = "a\tb\r\nc ä 漢字 👩‍🚀 ⚠️";
    expect(safeText(text)).toBe("a\tb\nc ä 漢字 👩‍🚀 ⚠️");
  });

  it("is safe at every depth of a value, in names too", () => {
    expect(safeValue({ "\u001bn": ["\u001b", { deep: "\u001b" }], n: 1, no: null })).toEqual({
      "\\x1bn": ["\\x1b", { deep: "\\x1b" }],
      n: 1,
      no: null,
    });
  });
});
