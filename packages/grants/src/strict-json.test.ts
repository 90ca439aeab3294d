import type { Json } from "@toolbus/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { MAX_JSON_DEPTH } from "./plain-json.ts";
import { MAX_JSON_BYTES, parseCanonicalArguments, parseStrictJson } from "./strict-json.ts";

describe("the strict JSON parser", () => {
  it.each<[string, string, string]>([
    ["a duplicate key", '{"amount":1,"amount":1000}', "/amount appears more than once"],
    ["a duplicate key in disguise", '{"a":1,"\\u0061":2}', "/a appears more than once"],
    ["a duplicate key deep inside", '{"x":[0,{"a/b":{"k":1, "k" :2}}]}', "/x/1/a~1b/k appears more than once"],
    ["an integer beyond 2^53", '{"id":9007199254740993}', "/id is an integer beyond 2^53 - 1; send it as a string"],
    ["2^53 itself", "[0,-9007199254740992]", "/1 is an integer beyond 2^53 - 1; send it as a string"],
    ["an integer written with an exponent", "1e21", " is an integer beyond 2^53 - 1; send it as a string"],
    ["a number out of range", "[1e400]", "/0 is a number out of range"],
    ["a number that would become 0", '{"a":1e-400}', "/a is a number so small that it would be read as 0"],
    ["__proto__", '{"a":{"__proto__":{}}}', "/a/__proto__ is a key that is not allowed"],
    ["constructor", '{"constructor":1}', "/constructor is a key that is not allowed"],
    ["prototype in disguise", '{"pr\\u006ftotype":1}', "/prototype is a key that is not allowed"],
    ["an escaped lone surrogate", '["\\ud83d"]', "/0 holds a lone surrogate"],
    ["a bare lone surrogate", '["\ude00"]', "/0 holds a lone surrogate"],
    ["a lone surrogate in a key", '{"\\udc00":1}', " has a key with a lone surrogate"],
    ["text after the value", "{} {}", " is not JSON"],
    ["a comment", "{/**/}", " is not JSON"],
    ["a byte order mark", "\ufeff{}", " is not JSON"],
    ["NaN", "NaN", " is not JSON"],
    ["nothing", "", " is not JSON"],
    ["too many bytes", JSON.stringify("é".repeat(MAX_JSON_BYTES / 2)), ` is over ${MAX_JSON_BYTES} bytes`],
  ])("refuses %s", (_, text, problem) => {
    const parsed = parseStrictJson(text);
    expect(parsed.ok ? parsed.value : parsed.problems.map(({ path, message }) => `${path} ${message}`)).toEqual([problem]);
  });

  it("accepts 32 levels of nesting and no more", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(parseStrictJson(nested(MAX_JSON_DEPTH)).ok).toBe(true);
    expect(parseStrictJson(nested(MAX_JSON_DEPTH + 1))).toMatchObject({
      ok: false,
      problems: [{ message: "is nested deeper than 32 levels" }],
    });
    expect(parseStrictJson(nested(MAX_JSON_BYTES / 2)).ok).toBe(false);
  });

  it("names several faults at once, but only a few", () => {
    const parsed = parseStrictJson(`[${Array(5000).fill("1e999").join(",")}]`);
    expect(parsed.ok ? 0 : parsed.problems.length).toBe(8);
  });

  it.each<[string, Json]>([
    ['{"a":[1,{"a":1}],"b":{"a":2}}', { a: [1, { a: 1 }], b: { a: 2 } }],
    [
      '{"text":"{\\"a\\":1,\\"a\\":2} 1e999 \\\\","n":[ -0.5 , 1.5E+3,0.0,0e5 ]}',
      { text: '{"a":1,"a":2} 1e999 \\', n: [-0.5, 1500, 0, 0] },
    ],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ['"\\ud83d\\ude00"', "\u{1f600}"],
    ['["a:b",":","a\\":",{"":""}]', ["a:b", ":", 'a":', { "": "" }]],
    [" null\n", null],
  ])("reads %s", (text, value) => {
    expect(parseStrictJson(text)).toEqual({ ok: true, value });
  });

  it("reads back whatever canonical JSON prints, and its own text is canonical", () => {
    fc.assert(
      fc.property(plainJson, (value) => {
        const text = canonicalJson(value);
        const parsed = parseStrictJson(text);
        expect(parsed.ok && canonicalJson(parsed.value)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it("finds a duplicate key at any depth", () => {
    fc.assert(
      fc.property(plainJson, plainJson, plainJson, (before, first, second) => {
        const inner = `{"k":${JSON.stringify(before)},"d":${JSON.stringify(first)},"d":${JSON.stringify(second)}}`;
        expect(parseStrictJson(`[${JSON.stringify(before)},${inner}]`)).toEqual({
          ok: false,
          problems: [{ path: "/1/d", message: "appears more than once" }],
        });
      }),
      { numRuns: 500 },
    );
  });

  it("never throws, and never reads anything differently from JSON.parse", () => {
    const token = fc.constantFrom(...'{}[],:"\\ \n01-.eEu'.split(""), '"a"', '"a":', "true", "null", "\\u0061", "\ud83d", "1e9");
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const text = tokens.join("");
        const parsed = parseStrictJson(text);
        if (parsed.ok) expect(parsed.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 5000 },
    );
  });
});

describe("the arguments of a call", () => {
  it("are read from their canonical text", () => {
    expect(parseCanonicalArguments('{"amount":12.5,"orderId":"o-1"}')).toEqual({ ok: true, value: { amount: 12.5, orderId: "o-1" } });
  });

  it.each([
    ["white space", '{"a": 1}'],
    ["keys in another order", '{"b":1,"a":1}'],
    ["a number written otherwise", '{"a":1.0}'],
    ["minus zero", '{"a":-0}'],
    ["a needless escape", '{"a":"\\u0062"}'],
  ])("are refused with %s", (_, text) => {
    expect(parseCanonicalArguments(text)).toEqual({ ok: false, problems: [{ path: "", message: "is not in canonical form (RFC 8785)" }] });
  });

  it.each(["[]", "null", '"a"', "1"])("are refused when they are %s", (text) => {
    expect(parseCanonicalArguments(text)).toEqual({ ok: false, problems: [{ path: "", message: "must be a JSON object" }] });
  });
});

const forbidden = new Set(["__proto__", "constructor", "prototype"]);
// The values that the strict parser promises to read.
const { value: plainJson } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n) || Number.isSafeInteger(n)),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.string({ unit: "binary" }).filter((key) => !forbidden.has(key)),
      tie("value"),
      { maxKeys: 4 },
    ),
  ),
}));
