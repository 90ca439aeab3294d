import type { Type as TypeBox, TSchema } from "typebox";

export type { Static, TObject, TSchema } from "typebox";

/** The parts of TypeBox that our schemas are made with. */
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

// Not in the written JSON Schema, and not copied by `...`: which members of an object are optional.
const OPTIONAL = Symbol("optional");

type Schema = object & { readonly [OPTIONAL]?: true };
type Options = Readonly<Record<string, unknown>>;

/**
 * TypeBox's builders, with its types and without its code: TypeBox 1.4 has 373 modules, more than all of ours that a CLI command loads, and cost every
 * process 0.2 s of processor time at its start. The schemas are the same, member for member; a test compares them with TypeBox's own.
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
  // The types are TypeBox's and the code is ours, so that the compiler cannot relate the two: the test that compares what both write does.
} as unknown as Used;

/** Whether it is the schema of a whole number. */
export const isInteger = (schema: TSchema): boolean => "type" in schema && schema.type === "integer";
