import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { assessRisk, checkArguments, definitionFault, quarantineSentence, type ToolDefinition } from "../tool-definition.ts";
import { foreignSchema } from "./foreign-schema.ts";

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const faultOf = (schema: JsonObject) => {
  const made = foreignSchema(schema);
  return made.ok ? null : made.fault;
};
const problemsOf = (schema: JsonObject, value: Json) => {
  const made = foreignSchema(schema);
  return made.ok ? made.validate(value) : [];
};

function deep(levels: number): JsonObject {
  return times(levels, (n) => n).reduce<JsonObject>((inner) => ({ items: inner }), {});
}

function writing(parameters: JsonObject, ...rules: JsonObject[]): ToolDefinition {
  return {
    name: "pay",
    version: "1",
    description: "Pays.",
    parameters,
    kind: "write",
    risk: { tier: "low", rules: rules.map((when, n) => ({ when, tier: "critical", reason: `rule ${n}` })) },
    idempotency: { mode: "none" },
    timeoutMs: 5000,
    source: "shop",
  };
}

describe("a foreign schema is refused with the place of the fault", () => {
  it.each<[string, JsonObject, string, RegExp]>([
    ["that asks for an asynchronous check", { properties: { a: { $async: true } } }, "/properties/a/$async", /asynchronous/],
    ["that names another document", { items: { $ref: "https://example.com/s" } }, "/items/$ref", /leads out of the schema/],
    ["that names nothing", { $ref: "#/$defs/gone" }, "/$ref", /leads to nothing/],
    [
      "that refers to itself for the same value",
      { properties: { a: { anyOf: [{ $ref: "#/properties/a" }] } } },
      "/properties/a",
      /would never end/,
    ],
    ["whose references multiply", bomb(20), "/$defs/9", /more than 5000 times at one value/],
    ["with a pattern that looks around", { patternProperties: { "a(?!b)": {} } }, "/patternProperties/a(?!b)", /looks around/],
    ["with a pattern that refers back", { pattern: "(a)\\1" }, "/pattern", /back-reference/],
    ["with a pattern that repeats too often", { pattern: "((a{99}){99}){99}" }, "/pattern", /too many states/],
    ["with a long pattern", { pattern: "a".repeat(1001) }, "/pattern", /more than 1000 characters/],
    ["with many values", { enum: times(4001, (n) => n) }, "/enum", /more than 4000 listed values/],
    ["with many alternatives", { anyOf: times(513, () => true) }, "/anyOf", /more than 512 alternatives/],
    [
      "with many properties",
      { properties: Object.fromEntries(times(1999, (n) => [n, true])), required: ["a", "b"] },
      "/properties",
      /2000 schemas|2000 properties/,
    ],
    [
      "with many references",
      { allOf: times(257, () => ({ $ref: "#/$defs/a" })), $defs: { a: {} } },
      "/allOf/256/$ref",
      /more than 256 references/,
    ],
    ["with many levels", deep(70), "", /more than 64 levels/],
    ["of many characters", { description: "d".repeat(70_000) }, "", /characters; 65536 are the most/],
    ["in an unknown dialect", { $schema: "https://example.com/mine" }, "/$schema", /dialect/],
    ["with a keyword value of the wrong type", { properties: { a: { minLength: "3" } } }, "/properties/a/minLength", /must be a number/],
    ["with a draft-03 keyword that would be ignored", { disallow: "string" }, "/disallow", /Write not/],
    [
      "with a nested schema that has its own base",
      { properties: { a: { $id: "x", b: {} } }, items: { $ref: "#/properties/a/b" } },
      "/items/$ref",
      /leads to nothing/,
    ],
  ])("one %s", (_, schema, pointer, reason) => {
    expect(faultOf(schema)).toEqual({ pointer, reason: expect.stringMatching(reason) });
  });

  it("even if it contains itself or is too deep to write", () => {
    const circle: Record<string, unknown> = {};
    circle["items"] = circle;
    expect(faultOf(circle as JsonObject)).toEqual({ pointer: "", reason: "The schema cannot be written as JSON." });
    expect(faultOf(deep(40_000))?.pointer).toBe("");
  });
});

describe("a foreign schema is accepted", () => {
  it.each<[string, JsonObject, Json, Json]>([
    ["with a list of items, as draft-07 has it", { items: [{ type: "string" }], additionalItems: false }, ["a"], ["a", 1]],
    ["with dependencies", { dependencies: { a: ["b"], c: { required: ["d"] } } }, { a: 1, b: 1 }, { c: 1 }],
    ["with the bounds of draft-04", { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false }, 3, 1],
    [
      "with definitions",
      { $ref: "#/definitions/a%20b", definitions: { "a b": { const: { x: [1], y: 2 } } } },
      { y: 2, x: [1] },
      { x: [1] },
    ],
    [
      "by its own name",
      { $id: "https://example.com/s", items: { $ref: "https://example.com/s#/$defs/n" }, $defs: { n: { type: "null" } } },
      [null],
      [1],
    ],
    ["that contains itself", { type: "object", additionalProperties: { $ref: "#" } }, { a: { b: {} } }, { a: { b: 1 } }],
    ["with keywords that have no meaning here", { type: "string", "x-mine": 1, markdownDescription: "", format: "no-such-format" }, "a", 1],
    ["without inherited members", { required: ["constructor"] }, JSON.parse('{"constructor":1}') as Json, {}],
    [
      "with unevaluated properties",
      { anyOf: [{ properties: { a: true }, required: ["a"] }, { properties: { b: true } }], unevaluatedProperties: false },
      { a: 1, b: 1 },
      { c: 1 },
    ],
    [
      "with unevaluated items of a list",
      { prefixItems: [true], contains: { const: 7 }, unevaluatedItems: { type: "string" } },
      [1, "a", 7],
      [7, 8],
    ],
    [
      "with properties that a condition leaves unevaluated",
      { if: { required: ["a"], properties: { a: true } }, unevaluatedProperties: false },
      { a: 1 },
      { b: 1 },
    ],
  ])("%s", (_, schema, good, bad) => {
    expect([problemsOf(schema, good), problemsOf(schema, bad).length > 0]).toEqual([[], true]);
  });

  it("and applies its defaults, except inside one of several forms", () => {
    const schema = JSON.parse(
      '{"properties":{"a":{"default":{"n":1}},"__proto__":{"default":1}},"allOf":[{"properties":{"b":{"default":2}}}],"anyOf":[{"properties":{"c":{"default":3}}}]}',
    ) as JsonObject;
    const value: JsonObject = {};
    expect(problemsOf(schema, value)).toEqual([]);
    expect(JSON.stringify(value)).toBe('{"b":2,"a":{"n":1},"__proto__":1}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe("a check that takes too long", () => {
  const costly = { items: { anyOf: times(400, (n) => ({ minimum: 1e6 + n })) } };
  const many = times(9000, (n) => n);

  it("is reported as a problem with the arguments", () => {
    expect(problemsOf(costly, many)).toEqual([
      { path: "", message: "takes too long to check against the tool's schema: send less, or simpler values" },
    ]);
  });

  it("makes a risk rule hold, and all rules together take no longer than one check", () => {
    const rule = { properties: { list: costly } };
    // The second rule alone is cheap and does not match these arguments.
    const definition = writing({}, rule, { properties: { list: { maxItems: 1 } } });
    expect(assessRisk(definition, { list: many })).toEqual({ tier: "critical", reasons: ["rule 0", "rule 1"] });
    expect(assessRisk(writing({}, { properties: { list: { maxItems: 1 } } }), { list: many })).toMatchObject({ tier: "low" });
    expect(assessRisk(definition, { list: [2e6, 2e6] })).toMatchObject({ tier: "critical" });
    expect(assessRisk(definition, { list: [0, 0] })).toMatchObject({ tier: "low" });
  });

  it("includes one of a value that is too deep", () => {
    const value = times(500, (n) => n).reduce<Json>((inner) => [inner], 1);
    expect(problemsOf({ items: { $ref: "#" } }, value)).toEqual([{ path: "", message: "has more than 100 levels" }]);
  });
});

describe("a definition whose schema is refused", () => {
  const bad = { pattern: "(?<!a)b" };

  it("is reported with the place in the definition", () => {
    expect(definitionFault(writing({}))).toBeNull();
    expect(definitionFault(writing({ properties: { a: bad } }))?.pointer).toBe("/parameters/properties/a/pattern");
    const fault = definitionFault(writing({}, {}, bad));
    expect(fault && quarantineSentence(writing({}), fault)).toMatch(
      /^"pay@1" is quarantined: its definition is refused at \/risk\/rules\/1\/when\/pattern\. The pattern "\(\?<!a\)b" looks around/,
    );
  });

  it("accepts no arguments, and its rule holds for all", () => {
    expect(checkArguments(writing(bad), {})).toEqual([
      { path: "", message: expect.stringMatching(/^cannot be checked: the tool's own schema is refused at \/parameters\/pattern\./) },
    ]);
    expect(assessRisk(writing({}, { $async: true }), {})).toEqual({ tier: "critical", reasons: ["rule 0"] });
  });
});

function bomb(levels: number): JsonObject {
  const level = (n: number): [string, JsonObject] => [String(n), { allOf: [{ $ref: `#/$defs/${n + 1}` }, { $ref: `#/$defs/${n + 1}` }] }];
  return { $ref: "#/$defs/0", $defs: { ...Object.fromEntries(times(levels, level)), [levels]: {} } };
}
