import { describe, expect, it } from "vitest";
import { matcherFault, matches } from "./matches.ts";

describe("a matcher", () => {
  it("that is a plain value means an equal value", () => {
    expect(matches("a", "a")).toBe(true);
    expect(matches("a", "b")).toBe(false);
    expect(matches(null, null)).toBe(true);
    expect(matches(null, undefined)).toBe(false);
    expect(matches(1, "1")).toBe(false);
  });

  it("that is an object means an object with at least these members", () => {
    expect(matches({ a: 1 }, { a: 1, b: 2 })).toBe(true);
    expect(matches({ a: 1, c: 3 }, { a: 1, b: 2 })).toBe(false);
    expect(matches({ a: { b: 1 } }, { a: { b: 1, c: 1 } })).toBe(true);
    expect(matches({}, "text")).toBe(false);
    expect(matches({ toString: {} }, {})).toBe(false);
  });

  it("that is a list means an equal list", () => {
    expect(matches([1, { a: 1 }], [1, { a: 1, b: 1 }])).toBe(true);
    expect(matches([1], [1, 2])).toBe(false);
    expect(matches([1, 2], [2, 1])).toBe(false);
  });

  it("with an operator means what the operator says", () => {
    expect(matches({ $matches: "^ORD-\\d+$" }, "ORD-12")).toBe(true);
    expect(matches({ $matches: "^ORD-\\d+$" }, "12")).toBe(false);
    expect(matches({ $in: ["a", { b: 1 }] }, { b: 1 })).toBe(true);
    expect(matches({ $in: ["a"] }, "c")).toBe(false);
    expect(matches({ $gte: 1, $lte: 3 }, 2)).toBe(true);
    expect(matches({ $gte: 1, $lte: 3 }, 4)).toBe(false);
    expect(matches({ $gte: 1, $lte: 3 }, "2")).toBe(false);
    expect(matches({ a: { $exists: false } }, {})).toBe(true);
    expect(matches({ a: { $exists: true } }, {})).toBe(false);
    expect(matches({ $schema: { type: "object", required: ["x"] } }, { x: 1 })).toBe(true);
    expect(matches({ $schema: { type: "object", required: ["x"] } }, { y: 1 })).toBe(false);
  });

  it.each(["^(a+)+$", "^(a|a)*b$", "(x+x+)+y"])("takes linear time, whatever its pattern is: %s", (pattern) => {
    expect(matcherFault({ $matches: pattern })).toBeNull();
    const began = process.threadCpuUsage().user;
    expect(matches({ $matches: pattern }, `${"a".repeat(1000)}!${"x".repeat(1000)}`)).toBe(false);
    expect((process.threadCpuUsage().user - began) / 1000).toBeLessThan(1000);
    expect(matcherFault({ $matches: "(a)\\1" })).toContain("without backreferences");
  });

  it("leaves the value as it was, also if its schema has defaults", () => {
    const value = {};
    expect(matches({ $schema: { type: "object", properties: { a: { default: 1 } } } }, value)).toBe(true);
    expect(value).toEqual({});
  });

  it("with a fault is told in words", () => {
    expect(matcherFault({ a: [{ b: { $gte: 1 } }] })).toBeNull();
    expect(matcherFault({ a: { $near: 1 } })).toContain("unknown operator $near");
    expect(matcherFault({ a: { $gte: 1, b: 2 } })).toBe("mixes $gte with the names of members");
    expect(matcherFault({ $matches: "(" })).toBe("$matches needs a regular expression without backreferences and lookbehind");
    expect(matcherFault({ $in: [] })).toBe("$in needs a list of values");
    expect(matcherFault({ $gte: "1" })).toBe("$gte needs a number");
    expect(matcherFault({ $exists: 1 })).toBe("$exists needs true or false");
    expect(matcherFault({ $schema: { type: "nothing" } })).toBe("$schema needs a JSON Schema");
  });
});
