import { describe, expect, it } from "vitest";
import { fitted } from "./fitted.ts";

describe("a fitted line", () => {
  it("breaks between words, and further parts are indented more than its beginning", () => {
    expect(fitted("the quick brown fox", 12)).toEqual(["the quick", "    brown", "    fox"]);
    expect(fitted("  - one two three", 12)).toEqual(["  - one two", "      three"]);
    expect(fitted("", 12)).toEqual([""]);
  });

  it("keeps an id whole, and breaks every other word that does not fit", () => {
    const id = `ap_rn_04_${"x".repeat(26)}.1.0`;
    expect(fitted(`approval   ${id}`, 30)).toEqual(["approval  ", `    ${id}`]);
    expect(fitted("a└─────────────────", 12)).toEqual(["a└──────", "    ────────", "    ───"]);
  });

  it("counts characters that a terminal shows in two columns", () => {
    expect(fitted("漢字漢字漢字", 12)).toEqual(["漢字漢字", "    漢字"]);
    expect(fitted("🎉🎉🎉🎉🎉", 12)).toEqual(["🎉🎉🎉🎉", "    🎉"]);
  });
});
