import { describe, expect, it } from "vitest";
import { attributesOf, haveCommonName, joinedPairs, joinedShared, NO_PAIRS, pairsOf, sharedPairs } from "./attribute-pairs.ts";

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

  it("that are shared are one list for one object, and for one pair of lists", () => {
    const [one, other] = [
      { a: "x sk-abcdefghijklmnopqrst", b: 1 },
      { b: 2, c: 3 },
    ];
    expect(sharedPairs(one)).toEqual(["a", "x [redacted]", "b", 1]);
    expect(sharedPairs(one)).toBe(sharedPairs(one));
    expect(sharedPairs({ ...one })).not.toBe(sharedPairs(one));
    const both = joinedShared(sharedPairs(one), sharedPairs(other));
    expect(both).toEqual(["a", "x [redacted]", "b", 2, "c", 3]);
    expect(joinedShared(sharedPairs(one), sharedPairs(other))).toBe(both);
    expect(joinedShared(NO_PAIRS, sharedPairs(other))).toBe(sharedPairs(other));
    expect(joinedShared(sharedPairs(other), sharedPairs(one))).toEqual(["b", 1, "c", 3, "a", "x [redacted]"]);
  });

  it("know whether they have a name in common, which a value is not", () => {
    expect(haveCommonName(["a", "b"], ["c", 1, "a", 2])).toBe(true);
    expect(haveCommonName(["a", "b"], ["b", "a"])).toBe(false);
    expect(haveCommonName(NO_PAIRS, ["a", 1])).toBe(false);
  });

  it("become an object again", () => {
    expect(attributesOf(["a", 1, "b", ["x"]])).toEqual({ a: 1, b: ["x"] });
  });
});
