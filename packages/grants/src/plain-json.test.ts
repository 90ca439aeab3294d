import type { Json } from "@toolbus/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { MAX_JSON_DEPTH, plainText } from "./plain-json.ts";
import { isObject, MAX_JSON_BYTES, parseCanonicalArguments, parseStrictJson } from "./strict-json.ts";

const nested = (levels: number): string => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);

describe("the plain text of a value", () => {
  it("is its canonical text, also if the canonical order is not that of the runtime", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const text = byHand(value);
        expect(canonicalJson(value)).toBe(text);
        expect([text, null]).toContain(plainText(value));
      }),
      { numRuns: 2000 },
    );
  });

  it.each<[string, unknown]>([
    ["keys out of order", { b: 1, a: 1 }],
    ["numbers as keys, which the runtime writes first", { "9": 1, "10": 1, a: 1 }],
    ["a key of prototypes", JSON.parse('{"a":{"__proto__":1}}')],
    ["an integer beyond 2^53 - 1", { a: 2 ** 53 }],
    ["an infinity", { a: Infinity }],
    ["a lone surrogate", { a: "\ud800" }],
    ["a lone surrogate in a key", { "\udc00": 1 }],
    ["an undefined member", { a: undefined }],
    ["a hole in an array", { a: Object.assign([], { length: 1 }) }],
    ["a date, which has a form of its own", { a: new Date(0) }],
    ["a boxed text", { a: Object("x") }],
    ["a form of its own", { a: { toJSON: () => 1 } }],
    ["more levels than strict JSON has", JSON.parse(nested(MAX_JSON_DEPTH + 1))],
  ])("does not exist with %s", (_, value) => {
    expect(plainText(value)).toBeNull();
  });

  it("exists for what calls have as arguments", () => {
    const value = { amount: 12.5, ids: ["o-1", null], "k\n": { "": true, "\u{1f600}": -1e-7 } };
    expect(plainText(value)).toBe(byHand(value));
    expect(plainText(JSON.parse(nested(MAX_JSON_DEPTH)))).toBe(nested(MAX_JSON_DEPTH));
  });
});

describe("the arguments of a call", () => {
  it("are judged as by the strict parser and a comparison with the canonical text, whatever the text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(parseCanonicalArguments(text)).toEqual(judgedByHand(text));
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    '{"a":1,"a":1}',
    '{"\\u0061":1}',
    '{"a":9007199254740992}',
    '{"a":1e-400}',
    '{"a":-0}',
    '{"10":1,"9":1}',
    '{"9":1,"10":1}',
    '{"a":"\\ud800"}',
    '{"a":"\\\\ud800"}',
    '{"a":"\ud800"}',
    '{"__proto__":1}',
    '{"a":{"constructor":1}}',
    '{"toJSON":1}',
    nested(MAX_JSON_DEPTH),
    nested(MAX_JSON_DEPTH + 1),
    `{"a":"${"é".repeat(32 * 1024)}"}`,
    `{"a":"${"€".repeat(22_000)}"}`,
    `{"a":"${"e".repeat(64 * 1024 - 8)}"}`,
    `{"a":"${"e".repeat(64 * 1024 - 7)}"}`,
  ])("%.40s are judged in the same way", (text) => {
    expect(parseCanonicalArguments(text)).toEqual(judgedByHand(text));
  });
});

/** RFC 8785 in the simplest words. */
function byHand(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => byHand(item)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${byHand(member)}`).join(",")}}`;
}

function judgedByHand(text: string): ReturnType<typeof parseCanonicalArguments> {
  const fault = (message: string) => ({ ok: false as const, problems: [{ path: "", message }] });
  if (Buffer.byteLength(text) > MAX_JSON_BYTES) return fault(`is over ${MAX_JSON_BYTES} bytes`);
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (!isObject(value)) return fault("must be a JSON object");
  return byHand(value) === text ? { ok: true, value } : fault("is not in canonical form (RFC 8785)");
}

const key = fc.oneof(
  fc.string({ unit: "binary", maxLength: 4 }).filter((text) => text.isWellFormed()),
  fc.constantFrom("1", "9", "10", "a", "b", "toJSON", "length"),
);
const leaf = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.constantFrom(0, -0, 2 ** 53, -(2 ** 53), 2 ** 53 - 1, 1e21, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: "binary", maxLength: 6 }).filter((text) => text.isWellFormed()),
  fc.constantFrom("\\ud800", "\\", "\u{1f600}", "\u2028"),
);
const { value: anyJson } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const token = fc.constantFrom(...'{}[],:"\\ \n01-.eEu'.split(""), '"a"', '{"a":', '"a":', "true", "\\u0061", "\\ud83d", "\ud83d", "1e9");
/** Canonical texts, almost canonical texts, and texts of tokens. */
const anyText = fc.oneof(
  anyJson.map(byHand),
  fc.dictionary(key, anyJson, { noNullPrototype: true }).map((value) => JSON.stringify(value)),
  fc.dictionary(key, anyJson, { noNullPrototype: true }).map(byHand),
  fc
    .tuple(fc.dictionary(key, anyJson, { minKeys: 1 }).map(byHand), fc.nat(), fc.nat(2), token)
    .map(([text, at, drop, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + drop)),
  fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join("")),
);
