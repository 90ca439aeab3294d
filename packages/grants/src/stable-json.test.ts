import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { stableJson } from "./stable-json.ts";

describe("the stable text of a value", () => {
  it("is the canonical text of every value that has one", () => {
    for (const value of [
      null,
      -0,
      1e21,
      [],
      {},
      { b: [1, { d: null, c: true }], a: '\u2028 \\ " \n', 10: 1, 9: 2, "": {}, "\uffff": 1, "😀": 2 },
    ])
      expect(stableJson(value)).toBe(canonicalJson(value));
    expect(stableJson({ b: 1, a: [{ d: 2, c: "x" }] })).toBe('{"a":[{"c":"x","d":2}],"b":1}');
  });

  it("contains members with the names of prototypes", () => {
    const text = '{"__proto__":"x","a":{"__proto__":{"b":1},"constructor":2}}';
    expect(stableJson(JSON.parse(text))).toBe(text);
  });

  it("leaves out what is undefined, and has an escape for a lone surrogate", () => {
    expect(stableJson({ b: undefined, a: 1, c: undefined } as never)).toBe('{"a":1}');
    expect(stableJson({ a: "\ud800" })).toBe('{"a":"\\ud800"}');
  });
});
