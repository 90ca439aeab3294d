import { compileSchema, type JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { translateSchema } from "./draft-07.ts";

/** Returns the properties of an object schema after the translation. */
function translated(schema: JsonObject): unknown {
  return translateSchema({ type: "object", additionalProperties: false, ...schema })["properties"];
}

const tool = (parameters: JsonObject) => defineTool({ name: "look_up", kind: "read", description: "Looks up.", parameters, run: () => 1 });

describe("a schema in draft-07", () => {
  it("is accepted without its dialect and its name", () => {
    const schema = { $schema: "http://json-schema.org/draft-07/schema#", $id: "urn:a", type: "object", properties: {} };
    expect(translateSchema(schema)).toEqual({ type: "object", properties: {} });
  });

  it("has its definitions expanded where they are used, together with the reference's siblings", () => {
    const definitions = { id: { type: "string", maxLength: 9 }, pair: { type: "array", maxItems: 2, items: { $ref: "#/definitions/id" } } };
    expect(
      translated({
        definitions,
        properties: { a: { $ref: "#/definitions/id", description: "The first." }, both: { $ref: "#/definitions/pair" } },
      }),
    ).toEqual({
      a: { type: "string", maxLength: 9, description: "The first." },
      both: { type: "array", maxItems: 2, items: { type: "string", maxLength: 9 } },
    });
    expect(translated({ $defs: { "a/b": { type: "boolean" } }, properties: { x: { $ref: "#/$defs/a~1b" } } })).toEqual({
      x: { type: "boolean" },
    });
  });

  it("has exclusive bounds as numbers with the same meaning", () => {
    const amount = { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 10, exclusiveMaximum: false };
    expect(translated({ properties: { amount } })).toEqual({ amount: { type: "number", exclusiveMinimum: 0, maximum: 10 } });
    const validate = compileSchema(translateSchema({ type: "object", properties: { amount } }));
    expect([0, 0.1, 10, 11].map((value) => validate({ amount: value }).length === 0)).toEqual([false, true, true, false]);
  });

  it("with a property named like a keyword is left unchanged", () => {
    const properties = { definitions: { type: "string" }, id: { type: "string" }, exclusiveMinimum: { type: "boolean" } };
    expect(translated({ properties })).toEqual(properties);
  });

  it("is a copy, even if nothing changes", () => {
    const schema = { type: "object", properties: { a: { type: "string", enum: ["one"] } } };
    const copy = translateSchema(schema);
    (schema.properties.a.enum as string[]).push("two");
    expect(copy).toEqual({ type: "object", properties: { a: { type: "string", enum: ["one"] } } });
  });

  it("makes a tool like any other", () => {
    const { parameters } = tool({
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { id: { type: "string", maxLength: 9 } },
      type: "object",
      properties: { id: { $ref: "#/definitions/id" } },
      additionalProperties: false,
    }).draft;
    expect(parameters).toEqual({ type: "object", properties: { id: { type: "string", maxLength: 9 } }, additionalProperties: false });
  });
});

describe("what cannot be expressed the same way", () => {
  const refused: readonly (readonly [string, JsonObject, RegExp])[] = [
    [
      "a schema that contains itself",
      {
        definitions: { node: { type: "object", properties: { next: { $ref: "#/definitions/node" } }, additionalProperties: false } },
        properties: { it: { $ref: "#/definitions/node" } },
      },
      /schema at \/parameters\/properties\/it\/properties\/next has the keyword "\$ref"\. Write the schema out/,
    ],
    ["a reference to elsewhere", { properties: { it: { $ref: "https://example.com/schema" } } }, /the keyword "\$ref"/],
    ["a reference to nothing", { properties: { it: { $ref: "#/definitions/gone" } } }, /the keyword "\$ref"/],
    [
      "a list of items",
      { properties: { it: { type: "array", items: [{ type: "string" }] } } },
      /a list of items\. Give the array one "items"/,
    ],
    [
      "dependencies",
      { properties: { it: { type: "string" } }, dependencies: { it: ["other"] } },
      /the keyword "dependencies"\. State it in the description/,
    ],
    [
      "another dialect",
      { $schema: "http://json-schema.org/draft-04/schema#", properties: {} },
      /the keyword "\$schema"\. Write JSON Schema 2020-12 or draft-07/,
    ],
  ];

  it.each(refused)("is refused with what to write instead: %s", (_, schema, words) => {
    expect(() => tool({ type: "object", additionalProperties: false, ...schema })).toThrow(words);
  });

  it("is not expanded for ever", () => {
    const definitions = Object.fromEntries(
      Array.from({ length: 24 }, (_, n) => {
        const next = { $ref: `#/definitions/d${n + 1}` };
        return [`d${n}`, { type: "object", properties: { a: next, b: next }, additionalProperties: false }];
      }),
    );
    const schema = { type: "object", definitions, properties: { it: { $ref: "#/definitions/d0" } }, additionalProperties: false };
    expect(() => tool(schema)).toThrow(/the keyword "\$ref"/);
  });
});
