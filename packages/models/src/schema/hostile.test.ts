import type { Json, JsonObject } from "@toolbus/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileForAll, compileTool } from "./compile-tool.ts";
import { formFaults } from "./corpus/form-faults.ts";
import { DIALECTS } from "./dialect.ts";

const tool = (parameters: Json) => ({ name: "t", description: "d", parameters: parameters as JsonObject });
const object = (properties: Json, more: JsonObject = {}): Json => ({ type: "object", properties, ...more });

/** Returns the results of all dialects. If a compilation does not end, its test times out. */
const compiled = (parameters: Json) => Object.values(compileForAll(tool(parameters)));

function deep(levels: number, inside: (part: Json) => Json): Json {
  let part: Json = { type: "string" };
  for (let level = 0; level < levels; level++) part = inside(part);
  return part;
}

function bomb(width: number, levels: number, uses: (ref: Json, index: number) => readonly [string, Json]): Json {
  const $defs: Record<string, Json> = { [`d${levels}`]: { type: "string" } };
  for (let level = 0; level < levels; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = object(Object.fromEntries(Array.from({ length: width }, (_, index) => uses(next, index))));
  }
  return object({ a: { $ref: "#/$defs/d0" } }, { $defs });
}

const HOSTILE: readonly (readonly [string, Json])[] = [
  ["10,000 objects in one another", deep(10_000, (part) => object({ a: part }))],
  ["10,000 lists in one another", object({ a: deep(10_000, (items) => ({ type: "array", items })) })],
  ["10,000 parts in one another", object({ a: deep(10_000, (part) => ({ allOf: [part] })) })],
  ["10,000 forms in one another", object({ a: deep(10_000, (part) => ({ anyOf: [part, { type: "null" }] })) })],
  ["10,000 maps in one another", object({ a: deep(10_000, (part) => ({ type: "object", additionalProperties: part })) })],
  ["10,000 denials in one another", object({ a: deep(10_000, (not) => ({ not })) })],
  ["a bomb of references in properties", bomb(10, 100, (ref, index) => [`p${index}`, ref])],
  ["a bomb of references in parts", bomb(10, 100, (ref, index) => [`p${index}`, { allOf: [ref, ref, ref, ref] }])],
  ["a bomb of references in forms", bomb(10, 100, (ref, index) => [`p${index}`, { oneOf: [ref, { type: "array", items: ref }, ref] }])],
  ["a bomb of references in maps", bomb(6, 60, (additionalProperties, index) => [`p${index}`, { type: "object", additionalProperties }])],
  [
    "a list of values of a megabyte",
    object({ a: { type: "string", enum: Array.from({ length: 100_000 }, (_, index) => `value ${index}`) } }),
  ],
  ["values that are objects, by the thousand", object({ a: { enum: Array.from({ length: 20_000 }, (_, id) => ({ id })) } })],
  ["one value of a megabyte", object({ a: { const: "x".repeat(1_000_000) } })],
  ["a value 10,000 lists deep", object({ a: { const: deep(10_000, (part) => [part]) }, b: { enum: [1, deep(10_000, (part) => [part])] } })],
  ["20,000 properties", object(Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { type: "string" }])))],
  ["a name of a megabyte", object({ ["n".repeat(1_000_000)]: object({ a: { type: "string", format: "nonsense" } }) })],
  [
    "a description of a megabyte",
    object({ a: { type: "string", description: "d".repeat(1_000_000) } }, { description: "e".repeat(1_000_000) }),
  ],
  ["a pattern of a megabyte", object({ a: { type: "string", pattern: "(a+)+".repeat(200_000) } })],
  ["1,000 required names that are not listed", object({}, { required: Array.from({ length: 1000 }, (_, index) => `p${index}`) })],
  [
    "200 forms of 50 properties",
    object({
      a: {
        oneOf: Array.from({ length: 200 }, (_, form) =>
          object(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${form}_${index}`, { type: "integer" }]))),
        ),
      },
    }),
  ],
  [
    "names that are JavaScript's own",
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"$ref":"#/__proto__"},"b":{"$ref":"#/properties/__proto__"}},"required":["__proto__"],"$defs":{"__proto__":{}}}',
    ) as Json,
  ],
  ["references to what every object inherits", object({ a: { $ref: "#/constructor" } })],
];

describe("a hostile schema", () => {
  it.each(HOSTILE)("of %s is compiled or set aside by every dialect, and delays none of them", (_name, parameters) => {
    for (const [index, result] of compiled(parameters).entries()) {
      const dialect = DIALECTS[index] ?? "any";
      if (!result.ok) expect(result.reason).toMatch(/\.$/);
      else if (dialect !== "any") {
        expect(formFaults(result, dialect)).toEqual([]);
        expect(result.losses.length).toBeLessThanOrEqual(100);
        expect(result.restore("{}")).toMatch(/^\{/);
      }
    }
  });

  it("that throws when it is read is set aside", () => {
    const parameters = {
      type: "object",
      get properties(): JsonObject {
        throw new Error("not so fast");
      },
    } as JsonObject;
    expect(compileTool(tool(parameters), "openai")).toEqual({
      ok: false,
      pointer: "",
      reason: expect.stringContaining("not so fast") as string,
    });
  });

  it("that contains itself as an object in memory is compiled or set aside", () => {
    const part: Record<string, Json> = { type: "object" };
    part["properties"] = { again: part };
    const result = compileTool(tool(part), "anthropic");
    expect(result.ok && formFaults(result, "anthropic")).toEqual([]);
  });

  it("does not change the prototype of objects", () => {
    const result = compileTool(
      tool(
        JSON.parse('{"type":"object","properties":{"__proto__":{"type":"object","properties":{"polluted":{"type":"string"}}}}}') as Json,
      ),
      "openai",
    );
    if (!result.ok) throw new Error(result.reason);
    const [key = ""] = Object.keys(result.parameters["properties"] as JsonObject);
    const restored = JSON.parse(result.restore(JSON.stringify({ [key]: { polluted: "yes" } }))) as JsonObject;
    expect(Object.keys(restored)).toEqual(["__proto__"]);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});

/** Values that look like schemas, and many other values. */
const schemas = fc.letrec<{ schema: Json; word: readonly [string, Json] }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Json>(true, false, null, 5, "string", [], {}),
    fc.array(tie("word"), { maxLength: 5 }).map((words) => Object.fromEntries(words) as JsonObject),
  ),
  word: fc.oneof(
    fc.tuple(
      fc.constant("type"),
      fc.oneof(
        fc.constantFrom<Json>("object", "object", "string", "integer", "array", "null", "any", "str", 7, []),
        fc.array(fc.constantFrom<Json>("string", "null", "number", "object"), { maxLength: 3 }),
      ),
    ),
    fc.tuple(
      fc.constantFrom("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"),
      fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "a.b", "__proto__", ""), fc.string({ maxLength: 5 })), tie("schema"), {
        maxKeys: 3,
      }),
    ),
    fc.tuple(
      fc.constantFrom("items", "additionalProperties", "not", "if", "then", "contains", "propertyNames", "properties", "unevaluatedItems"),
      tie("schema"),
    ),
    fc.tuple(fc.constantFrom("allOf", "anyOf", "oneOf", "prefixItems", "items"), fc.array(tie("schema"), { maxLength: 3 })),
    fc.tuple(
      fc.constantFrom("enum", "const", "default", "required", "examples"),
      fc.oneof(
        fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }),
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(fc.constantFrom("a", "b", "zz"), { maxLength: 2 }),
      ),
    ),
    fc.tuple(fc.constant("$ref"), fc.constantFrom<Json>("#", "#/$defs/a", "#/definitions/b", "#/properties/a", "https://x/y", "#q", 3)),
    fc.tuple(
      fc.constantFrom(
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
      ),
      fc.oneof(fc.integer({ min: -5, max: 20 }), fc.boolean(), fc.double(), fc.constant(null)),
    ),
    fc.tuple(
      fc.constantFrom("pattern", "format", "description", "title", "$anchor", "$id"),
      fc.oneof(fc.constantFrom<Json>("^a$", "(?!x)", "date", "q", "\ud800"), fc.jsonValue({ maxDepth: 0 })),
    ),
    fc.tuple(fc.constantFrom("nullable", "uniqueItems", "deprecated", "readOnly"), fc.boolean()),
  ) as fc.Arbitrary<readonly [string, Json]>,
}));

function meant(result: ReturnType<typeof compileTool>): Json {
  return JSON.parse(JSON.stringify(result.ok ? [result.parameters, result.losses, result.strict] : result)) as Json;
}

const LONG = process.env["LONG_PROOFS"] !== undefined;

describe("any schema", () => {
  it("is compiled in the dialect's form, or set aside with a reason, and the same each time", { timeout: 120_000 }, () => {
    let made = 0;
    fc.assert(
      fc.property(schemas.schema, fc.boolean(), fc.string(), (schema, wrapped, name) => {
        const parameters = wrapped ? object({ a: schema, b: { type: "integer" } }, { required: ["b"], $defs: { a: schema } }) : schema;
        const spec = { name, description: name, parameters: parameters as JsonObject };
        // The description differs, so that the test compiles the tool again instead of finding it in the cache.
        const again = compileForAll({ ...structuredClone(spec), description: `${name}.` });
        for (const [dialect, result] of Object.entries(compileForAll(spec)) as [
          (typeof DIALECTS)[number],
          ReturnType<typeof compileTool>,
        ][]) {
          expect(meant(again[dialect])).toEqual(meant(result));
          if (!result.ok) expect(result.reason).toMatch(/\.$/);
          else if (dialect !== "any") {
            made++;
            expect(formFaults(result, dialect)).toEqual([]);
            const twice = compileTool({ name: result.name, description: result.description, parameters: result.parameters }, dialect);
            // The schemas are compared in their form on the wire, where -0 is 0.
            expect(meant(twice)).toEqual([JSON.parse(JSON.stringify(result.parameters)), [], twice.ok && twice.strict]);
          }
        }
      }),
      { numRuns: Number(process.env["SCHEMA_RUNS"] ?? (LONG ? 600 : 200)), seed: Number(process.env["SCHEMA_SEED"] ?? 20_261_121) },
    );
    expect(made).toBeGreaterThan(LONG ? 1000 : 330);
  });
});
