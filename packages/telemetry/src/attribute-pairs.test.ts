import { describe, expect, it } from "vitest";
import { attributesOf, joinedPairs, NO_PAIRS, pairsOf } from "./attribute-pairs.ts";

describe("attributes as pairs", () => {
  it("have each name once, with the last value and in the place of the first", () => {
    const outer = pairsOf({ a: 1, b: "x", none: undefined });
    expect(outer).toEqual(["a", 1, "b", "x"]);
    expect(pairsOf({ b: "y", c: true }, outer)).toEqual(["a", 1, "b", "y", "c", true]);
    expect(joinedPairs(outer, ["c", 3, "a", 2])).toEqual(["a", 2, "b", "x", "c", 3]);
    expect(joinedPairs(NO_PAIRS, outer)).toBe(outer);
    expect(outer).toEqual(["a", 1, "b", "x"]);
  });

  it("tell a name from a value that is the same text", () => {
    expect(joinedPairs(["a", "b"], ["b", "a"])).toEqual(["a", "b", "b", "a"]);
    expect(pairsOf({ b: "a" }, ["a", "b"])).toEqual(["a", "b", "b", "a"]);
  });

  it("are redacted and truncated, also in lists", () => {
    const secret = "Bearer abcdefgh12345678";
    expect(pairsOf({ a: `x ${secret}`, b: [secret, "y"], c: "z".repeat(600) })).toEqual([
      "a",
      "x [redacted]",
      "b",
      ["[redacted]", "y"],
      "c",
      "z".repeat(512),
    ]);
  });

  it("become an object again", () => {
    expect(attributesOf(["a", 1, "b", ["x"]])).toEqual({ a: 1, b: ["x"] });
  });
});
