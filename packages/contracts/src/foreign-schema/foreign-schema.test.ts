import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../json.ts";
import { compileSchema } from "../parse.ts";
import { foreignSchema } from "./foreign-schema.ts";

const takes = (schema: object, value: Json) => {
  const made = foreignSchema(schema);
  if (!made.ok) throw new Error(`${made.fault.pointer}: ${made.fault.reason}`);
  return made.validate(value).length === 0;
};

const scalars = fc.constantFrom<Json>(null, true, false, 0, 1, 1.5, -2, 7, "", "a", "ab", "abc", "2026-11-22", "a@b.example", "ü🎉");
const names = fc.constantFrom("a", "b", "c", "ab");
const { value: values } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalars,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const sizes = fc.nat(4);
// These schemas check members and items, but contain no other schema with unevaluated parts. The other compiler handles such a schema incorrectly.
const oneFlat = fc.constantFrom<Json>(
  true,
  false,
  { type: "string" },
  { properties: { a: true } },
  { properties: { b: { type: "string" } }, required: ["b"] },
  { patternProperties: { "^a": true } },
  { prefixItems: [{ type: "number" }] },
  { prefixItems: [true, true], minItems: 2 },
);
const flat = fc.array(oneFlat, { minLength: 1, maxLength: 3 });
const flatMap = fc.dictionary(names, oneFlat, { maxKeys: 3, noNullPrototype: true });
const { schema: schemas } = fc.letrec<{ schema: Json }>((tie) => {
  const part = tie("schema");
  const parts = fc.array(part, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(names, part, { maxKeys: 3, noNullPrototype: true });
  const list = fc.uniqueArray(names, { maxLength: 3 });
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom<Json>(true, false, {}, { type: "string" }, { type: ["integer", "null"] }, { type: "object" }, { type: "array" }),
      fc.constantFrom<Json>({ $ref: "#/$defs/one" }, { $ref: "#named" }, { type: "number", nullable: true }),
      fc.record({
        enum: fc.uniqueArray(values, { minLength: 1, maxLength: 3, comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b) }),
      }),
      fc.record({ const: values }),
      fc.record(
        { minimum: fc.integer({ min: -2, max: 3 }), exclusiveMaximum: sizes, multipleOf: fc.constantFrom(1, 2, 0.5) },
        { requiredKeys: [] },
      ),
      fc.record(
        { minLength: sizes, maxLength: sizes, pattern: fc.constantFrom("^a", "b$", "^(a|ab)+c?$", "\\p{L}", "[^a-c]", "^.{1,2}$") },
        { requiredKeys: [] },
      ),
      fc.record({ format: fc.constantFrom("date", "email", "uri", "password") }),
      fc.record(
        {
          properties: map,
          patternProperties: fc.dictionary(fc.constantFrom("^a", "b"), part, { noNullPrototype: true }),
          additionalProperties: part,
          required: list,
        },
        { requiredKeys: ["properties"] },
      ),
      fc.record({ propertyNames: part, minProperties: sizes, maxProperties: sizes }, { requiredKeys: [] }),
      fc.record(
        {
          dependentRequired: fc.dictionary(names, list, { noNullPrototype: true }),
          dependentSchemas: map,
          dependencies: map,
        },
        { requiredKeys: [] },
      ),
      fc.record({ items: part, prefixItems: parts, minItems: sizes, maxItems: sizes, uniqueItems: fc.boolean() }, { requiredKeys: [] }),
      fc.record({ contains: part, minContains: sizes, maxContains: sizes }, { requiredKeys: ["contains"] }),
      fc.record({ allOf: parts }),
      fc.record({ anyOf: parts }),
      fc.record({ oneOf: parts }),
      fc.record({ not: part }),
      fc.tuple(part, part, part).map((three) => Object.fromEntries(three.map((one, n) => [["if", "then", "else"][n] ?? "", one]))),
      fc.record({ allOf: flat, properties: flatMap, unevaluatedProperties: part }, { requiredKeys: ["unevaluatedProperties"] }),
      fc.record({ anyOf: flat, unevaluatedProperties: oneFlat }),
      fc.record({ allOf: flat, prefixItems: flat, unevaluatedItems: oneFlat }, { requiredKeys: ["unevaluatedItems"] }),
    ),
  };
});

const LONG = process.env["LONG_PROOFS"] !== undefined;

describe("a check by a foreign schema", () => {
  it("agrees with the compiler of our own schemas for any schema and value", { timeout: 120_000 }, () => {
    let both = 0;
    let taken = 0;
    fc.assert(
      fc.property(schemas, fc.array(values, { minLength: 8, maxLength: 8 }), (schema, given) => {
        const whole = { $defs: { one: { type: "object", required: ["a"] }, other: { $anchor: "named", minItems: 1 } }, allOf: [schema] };
        const reference = compileSchema(whole);
        for (const value of given) {
          const expected = reference(structuredClone(value)).length === 0;
          both++;
          if (expected) taken++;
          expect([schema, value, takes(whole, structuredClone(value))]).toEqual([schema, value, expected]);
        }
      }),
      { numRuns: Number(process.env["SCHEMA_RUNS"] ?? (LONG ? 3000 : 1000)), seed: Number(process.env["SCHEMA_SEED"] ?? 20_261_121) },
    );
    expect(both).toBeGreaterThan(LONG ? 10_000 : 3300);
    expect(taken).toBeGreaterThan(LONG ? 1000 : 330);
  });
});
