import { describe, expect, it } from "vitest";
import { misfits } from "./misfits.ts";

const text = { type: "string" } as const;
const closed = (properties: object, required: readonly string[] = []) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

describe("a reader's schema", () => {
  it.each([
    ["the same", closed({ a: text }), closed({ a: text })],
    ["a further optional field of the reader", closed({ a: text }, ["a"]), closed({ a: text, b: text }, ["a"])],
    ["a field that the reader need not have", closed({ a: text }, ["a"]), closed({ a: text })],
    ["a longer text", { ...text, maxLength: 5 }, { ...text, maxLength: 6 }],
    ["more values", { enum: ["a"] }, { enum: ["a", "b"] }],
    ["a constant among values", { type: "string", const: "a" }, { enum: ["a", "b"] }],
    ["a constant and any text", { type: "string", const: "a" }, { ...text, maxLength: 9 }],
    ["a whole number where any number is read", { type: "integer" }, { type: "number" }],
    ["one of several forms", closed({ a: text }, ["a"]), { anyOf: [{ type: "null" }, closed({ a: text }, ["a"])] }],
    ["fewer forms", { anyOf: [text, { type: "null" }] }, { anyOf: [{ type: "null" }, text, { type: "boolean" }] }],
    ["anything", closed({ a: text }), { description: "Anything." }],
    ["an open object", closed({ a: text }), { type: "object" }],
  ])("reads %s", (_, writer, reader) => {
    expect(misfits(writer, reader)).toEqual([]);
  });

  it.each([
    ["a field that it does not know", closed({ a: text, b: text }), closed({ a: text }), "it may have the field b"],
    ["a missing field", closed({ a: text }), closed({ a: text }, ["a"]), "it may lack a"],
    ["a longer text", closed({ a: text }), closed({ a: { ...text, maxLength: 5 } }), "/a may be outside of maxLength"],
    ["a smaller number", { type: "integer", minimum: 0 }, { type: "integer", minimum: 1 }, "it may be outside of minimum"],
    ["another value", closed({ a: { enum: ["x", "y"] } }), closed({ a: { enum: ["x"] } }), '/a may be "y"'],
    ["any text where values are read", text, { enum: ["x"] }, "it may have other values"],
    ["another type", { type: "number" }, { type: "integer" }, "it has another type"],
    ["another pattern", { ...text, pattern: "a" }, { ...text, pattern: "b" }, "it has another pattern"],
    ["other items", { type: "array", items: { type: "null" } }, { type: "array", items: text }, "/* has another type"],
    ["a further form", { anyOf: [text, { type: "null" }] }, { anyOf: [text] }, "it has another type"],
    ["an open object where it reads a closed one", { type: "object" }, closed({}), "it may have further fields"],
  ])("does not read %s", (_, writer, reader, problem) => {
    expect(misfits(writer, reader)).toEqual([problem]);
  });
});
