import { describe, expect, it } from "vitest";
import { counted } from "./counted.ts";

describe("a number with its noun", () => {
  it("uses the singular only for one", () => {
    expect([0, 1, 2].map((count) => counted(count, "failed test"))).toEqual(["0 failed tests", "1 failed test", "2 failed tests"]);
    expect(counted(1200, "token", "1,200")).toBe("1,200 tokens");
    expect(counted(1, "token", "1")).toBe("1 token");
  });
});
