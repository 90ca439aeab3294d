import type { Json } from "@toolbus/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

describe("canonical JSON", () => {
  // Each pair from RFC 8785, appendix B, has the bits of a double and its text.
  it.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("prints the double %s as %s", (bits, text) => {
    expect(canonicalJson(double(bits))).toBe(text);
  });

  it("sorts keys by UTF-16 code units, at every level", () => {
    const value = { "\ufb33": 1, "\u{1f600}": 2, "\u20ac": 3, "\u00f6": 4, "\u0080": 5, "1": 6, "\r": 7, inner: [{ b: 1, a: 2 }] };
    const order = ["\\r", "1", "inner", "\u0080", "\u00f6", "\u20ac", "\u{1f600}", "\ufb33"];
    const text = canonicalJson(value);
    expect(order.map((key) => text.indexOf(`"${key}":`))).toEqual(order.map((key) => text.indexOf(`"${key}":`)).toSorted((a, b) => a - b));
    expect(text.startsWith('{"\\r":7,"1":6,"inner":[{"a":2,"b":1}],')).toBe(true);
    expect(text.endsWith(',"\u{1f600}":2,"\ufb33":1}')).toBe(true);
  });

  it("escapes control characters, quote and backslash, and nothing else", () => {
    expect(canonicalJson("\u20ac$\u000f\nA'B\"\\/\u007f\u2028")).toBe('"\u20ac$\\u000f\\nA\'B\\"\\\\/\u007f\u2028"');
  });

  it.each<[string, unknown]>([
    ["NaN", NaN],
    ["an infinity", [-Infinity]],
    ["a lone surrogate", "\ud800"],
    ["a lone surrogate in a key", { "\udc00": 1 }],
    ["undefined", undefined],
    ["an undefined member", { a: undefined }],
    ["a hole in an array", Object.assign([], { length: 1 })],
    ["a bigint", { a: 1n }],
    ["a function", [() => 1]],
  ])("refuses %s", (_, value) => {
    expect(() => canonicalJson(value as Json)).toThrow(TypeError);
  });

  it("keeps the value of whatever it prints", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text) as Json)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it("does not depend on the order in which keys were written", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
      { numRuns: 1000 },
    );
  });
});

const anyJson = fc.jsonValue({ stringUnit: "binary", maxDepth: 5 }) as fc.Arbitrary<Json>;

function double(bits: string): number {
  return Buffer.from(bits, "hex").readDoubleBE();
}

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member)]),
  );
}
