import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as TypeBox from "typebox";
import { isInteger, Type } from "./schema.ts";

type Builder = typeof Type;

/** One schema of every kind, with and without options, and with nested objects as in our schemas. */
const made: Readonly<Record<string, (T: Builder) => object>> = {
  text: (T) => T.String(),
  "text with options": (T) => T.String({ minLength: 1, maxLength: 8, pattern: "^a" }),
  integer: (T) => T.Integer({ minimum: 0, default: 3 }),
  number: (T) => T.Number(),
  boolean: (T) => T.Boolean(),
  null: (T) => T.Null(),
  "a literal text": (T) => T.Literal("key"),
  "a literal number": (T) => T.Literal(1),
  "a literal boolean": (T) => T.Literal(true),
  enum: (T) => T.Enum(["a", "b"]),
  "enum with options": (T) => T.Enum(["a", "b"], { default: "a" }),
  array: (T) => T.Array(T.String(), { maxItems: 4 }),
  union: (T) => T.Union([T.String(), T.Null()]),
  "union with options": (T) => T.Union([T.String(), T.Null()], { description: "or none" }),
  unsafe: (T) => T.Unsafe<object>({ type: "object", extra: { deep: [1] } }),
  record: (T) => T.Record(T.String(), T.Integer()),
  "record with options": (T) => T.Record(T.String(), T.Integer(), { maxProperties: 4 }),
  "an empty object": (T) => T.Object({}),
  object: (T) => T.Object({ a: T.String(), b: T.Optional(T.Integer({ minimum: 1 })) }, { additionalProperties: false }),
  "an object with optional members only": (T) => T.Object({ a: T.Optional(T.String()) }),
  "an optional object in an object": (T) =>
    T.Object({ a: T.Optional(T.Object({ b: T.Optional(T.Array(T.Union([T.Null(), T.Literal("x")]))) })) }),
};

describe("a schema", () => {
  it.each(Object.entries(made))("of %s is written as TypeBox writes it", (_name, make) => {
    expect(JSON.stringify(make(Type))).toBe(JSON.stringify(make(TypeBox.Type as unknown as Builder)));
  });

  it("that is optional in one object is not optional in another: the first is a copy", () => {
    const a = Type.String();
    expect(Type.Object({ a: Type.Optional(a), b: a })).toMatchObject({ required: ["b"] });
  });

  it("is made without any TypeBox module in the process", () => {
    const text = readFileSync(new URL("schema.ts", import.meta.url), "utf8");
    expect(text.match(/^(?:import|export) .*"typebox";$/gm)).toEqual([
      'import type { Type as TypeBox, TSchema } from "typebox";',
      'export type { Static, TObject, TSchema } from "typebox";',
    ]);
  });

  it("recognizes whole numbers", () => {
    expect([Type.Integer(), Type.Optional(Type.Integer()), Type.Number(), Type.Null()].map(isInteger)).toEqual([true, true, false, false]);
  });
});
