import type { Json, JsonObject } from "@toolbus/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileTool } from "./compile-tool.ts";
import { instancesOf } from "./corpus/instances.ts";
import { validatorOf } from "./corpus/validator.ts";

/** Schemas of JSON Schema 2020-12 that combine all features that the compiler rewrites. */
const schemas = fc.letrec<{ schema: Json; scalar: Json; object: Json }>((tie) => ({
  scalar: fc.oneof(
    fc.constantFrom<Json>({ type: "string" }, { type: "boolean" }, { type: "integer" }, { type: "number" }, { type: "null" }, true, {}),
    fc.record({ type: fc.constant("string"), minLength: fc.nat(3), maxLength: fc.integer({ min: 2, max: 9 }) }),
    fc.record({
      type: fc.constantFrom("integer", "number"),
      minimum: fc.integer({ min: -3, max: 3 }),
      exclusiveMaximum: fc.integer({ min: 1, max: 9 }),
    }),
    fc.record({
      enum: fc.uniqueArray(fc.oneof(fc.constantFrom<Json>("a", "b", null, 1, 2, true, 0.5), fc.constantFrom<Json>([1], { a: 1 })), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
    fc.record({ const: fc.constantFrom<Json>("a", 1, null) }),
    fc.record({
      type: fc.uniqueArray(fc.constantFrom("string", "integer", "null", "boolean"), { minLength: 1, maxLength: 3 }),
      minimum: fc.nat(4),
    }),
    fc.constantFrom<Json>(
      { $ref: "#/$defs/text" },
      { $ref: "#/$defs/node" },
      { type: "string", format: "date" },
      { type: "string", pattern: "^[ab]+$" },
    ),
  ),
  object: fc.record(
    {
      type: fc.constant("object"),
      properties: fc.dictionary(fc.constantFrom("a", "b", "c.d", "e f", "_"), tie("schema"), { maxKeys: 3 }),
      required: fc.uniqueArray(fc.constantFrom("a", "b", "c.d", "z"), { maxLength: 2 }),
      additionalProperties: tie("schema"),
    },
    { requiredKeys: ["type"] },
  ),
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("scalar"),
    tie("object"),
    fc.record(
      { type: fc.constant("array"), items: tie("schema"), maxItems: fc.nat(3), minItems: fc.nat(1) },
      { requiredKeys: ["type", "items"] },
    ),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ type: fc.constantFrom("array"), prefixItems: fc.array(tie("scalar"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: fc.constantFrom<Json>({ type: "string" }, { type: ["null", "number"] }, { const: null }, {}) }),
  ),
}));

const LONG = process.env["LONG_PROOFS"] !== undefined;

describe("a compiled schema without a loss", () => {
  it("accepts nothing that the schema refuses, whatever the schema", { timeout: 120_000 }, () => {
    let lossless = 0;
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("a", "b", "c"), schemas.schema, { minKeys: 1, maxKeys: 2 }),
        fc.constantFrom("openai", "openai", "cli", "openrouter"),
        fc.nat(),
        (properties, dialect, seed) => {
          const node = { type: "object", properties: { next: { $ref: "#/$defs/node" }, value: { type: "string" } } };
          const parameters: JsonObject = {
            type: "object",
            properties,
            required: Object.keys(properties).slice(0, 1),
            $defs: { text: { type: "string", minLength: 1 }, node },
          };
          const compiled = compileTool({ name: "t", description: "d", parameters }, dialect);
          if (!compiled.ok || compiled.losses.length > 0) return;
          lossless++;
          const takes = validatorOf(parameters);
          const form = validatorOf(compiled.parameters);
          for (const written of fc.sample(instancesOf(compiled.parameters), { numRuns: 8, seed })) {
            if (form(structuredClone(written)).length > 0) continue;
            const restored = JSON.parse(compiled.restore(JSON.stringify(written))) as Json;
            expect([restored, takes(structuredClone(restored))]).toEqual([restored, []]);
          }
        },
      ),
      { numRuns: Number(process.env["SCHEMA_RUNS"] ?? (LONG ? 3000 : 1000)), seed: Number(process.env["SCHEMA_SEED"] ?? 20_261_121) },
    );
    expect(lossless).toBeGreaterThan(LONG ? 300 : 100);
  });
});
