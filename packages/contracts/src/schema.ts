import type { Type as TypeBox, TSchema } from "typebox";

export type { Static, TObject, TSchema } from "typebox";

/** The parts of TypeBox that our schemas use. */
type Used = Pick<
  typeof TypeBox,
  | "Array"
  | "Boolean"
  | "Enum"
  | "Integer"
  | "Literal"
  | "Null"
  | "Number"
  | "Object"
  | "Optional"
  | "Record"
  | "String"
  | "Union"
  | "Unsafe"
>;

// This symbol marks an optional member of an object. It is not part of the written JSON Schema, and `...` does not copy it.
const OPTIONAL = Symbol("optional");

type Schema = object & { readonly [OPTIONAL]?: true };
type Options = Readonly<Record<string, unknown>>;

/**
 * Builders with the types of TypeBox, but without its code. TypeBox 1.4 has 373 modules, more than all of ours that a CLI command loads. TypeBox cost
 * every process 0.2 s of processor time at its start. The schemas are identical, and a test compares them with TypeBox's own.
 */
export const Type: Used = {
  String: (options?: Options) => ({ type: "string", ...options }),
  Integer: (options?: Options) => ({ type: "integer", ...options }),
  Number: (options?: Options) => ({ type: "number", ...options }),
  Boolean: (options?: Options) => ({ type: "boolean", ...options }),
  Null: (options?: Options) => ({ type: "null", ...options }),
  Literal: (value: unknown, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: values, ...options }),
  Array: (items: Schema, options?: Options) => ({ type: "array", items, ...options }),
  Union: (anyOf: readonly Schema[], options?: Options) => ({ anyOf, ...options }),
  Unsafe: (schema: Schema) => schema,
  Record: (_key: Schema, value: Schema, options?: Options) => ({ type: "object", patternProperties: { "^.*$": value }, ...options }),
  Optional: (schema: Schema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
  Object: (properties: Readonly<Record<string, Schema>>, options?: Options) => {
    const required = Object.keys(properties).filter((name) => properties[name]?.[OPTIONAL] !== true);
    return { type: "object", ...(required.length > 0 ? { required } : {}), properties, ...options };
  },
  // The types are TypeBox's and the code is ours, so the compiler cannot check that they agree. A test compares the schemas of both instead.
} as unknown as Used;

/** Returns whether the schema describes a whole number. */
export const isInteger = (schema: TSchema): boolean => "type" in schema && schema.type === "integer";
