/** A JSON Schema, or a part of one, as plain JSON. */
type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns how a value that fits the writer's schema may break the reader's schema, in short parts of a sentence. Empty if every value that the writer
 * may write can be read. The rules cover the words of our own schemas. Any other word must be the same in both.
 */
export function misfits(writer: Schema, reader: Schema, path = ""): readonly string[] {
  const at = path === "" ? "it" : path;
  if (sameText(writer, reader) || isOpen(reader)) return [];
  const branches = alternatives(writer);
  if (branches) return unique(branches.flatMap((branch) => misfits(branch, reader, path)));
  const choices = alternatives(reader);
  if (choices)
    return choices.map((choice) => misfits(writer, choice, path)).toSorted((a, b) => a.length - b.length)[0] ?? [`${at} differs`];
  const allowed = valuesOf(reader);
  const written = valuesOf(writer);
  if (allowed) {
    if (!written) return [`${at} may have other values`];
    return written.filter((value) => !allowed.includes(value)).map((value) => `${at} may be ${value}`);
  }
  if (
    !written &&
    !typesOf(writer).every((type) => typesOf(reader).includes(type) || (type === "integer" && typesOf(reader).includes("number")))
  )
    return [`${at} has another type`];
  return [
    ...limits(written ? {} : writer, reader, at),
    ...items(writer, reader, path),
    ...fields(writer, reader, path),
    ...others(writer, reader, at),
  ];
}

/** Keywords that bound a value, and whether a larger number in the writer's schema is the wider one. */
const UPPER = ["maxLength", "maximum", "exclusiveMaximum", "maxItems", "maxProperties"] as const;
const LOWER = ["minLength", "minimum", "exclusiveMinimum", "minItems", "minProperties"] as const;
/** Keywords that must be the same in both schemas if the reader's has them. */
const EQUAL = [
  "pattern",
  "format",
  "uniqueItems",
  "multipleOf",
  "not",
  "if",
  "then",
  "else",
  "allOf",
  "oneOf",
  "contains",
  "propertyNames",
  "$ref",
] as const;

function limits(writer: Schema, reader: Schema, at: string): readonly string[] {
  const bound = (schema: Schema, word: string): number | undefined => (typeof schema[word] === "number" ? schema[word] : undefined);
  // A constant of the writer has no limits of its own, and our constants are short.
  if (Object.keys(writer).length === 0) return [];
  return [
    ...UPPER.filter((word) => {
      const most = bound(reader, word);
      return most !== undefined && (bound(writer, word) ?? Number.POSITIVE_INFINITY) > most;
    }),
    ...LOWER.filter((word) => {
      const least = bound(reader, word);
      // Zero is the least length anyway.
      return least !== undefined && (bound(writer, word) ?? (/Length|Items|Properties/.test(word) ? 0 : Number.NEGATIVE_INFINITY)) < least;
    }),
  ].map((word) => `${at} may be outside of ${word}`);
}

function items(writer: Schema, reader: Schema, path: string): readonly string[] {
  const [written, read] = [writer["items"], reader["items"]];
  if (!isSchema(read)) return [];
  return misfits(isSchema(written) ? written : {}, read, `${path}/*`);
}

function fields(writer: Schema, reader: Schema, path: string): readonly string[] {
  if (!typesOf(reader).includes("object")) return [];
  const at = path === "" ? "it" : path;
  const [written, read] = [propertiesOf(writer), propertiesOf(reader)];
  const anyRead = Object.values(asSchema(reader["patternProperties"])).find(isSchema);
  const anyWritten = Object.values(asSchema(writer["patternProperties"])).find(isSchema);
  const closed = reader["additionalProperties"] === false;
  const missing = listOf(reader["required"]).filter((name) => !listOf(writer["required"]).includes(name));
  return [
    ...missing.map((name) => `${at} may lack ${name}`),
    ...Object.entries(written).flatMap(([name, schema]) => {
      const own = Object.hasOwn(read, name) ? read[name] : anyRead;
      if (own !== undefined) return misfits(schema, own, `${path}/${name}`);
      return closed ? [`${at} may have the field ${name}`] : [];
    }),
    ...(anyWritten && anyRead ? misfits(anyWritten, anyRead, `${path}/*`) : []),
    ...(closed && !anyRead && (anyWritten !== undefined || (writer["additionalProperties"] !== false && typesOf(writer).includes("object")))
      ? [`${at} may have further fields`]
      : []),
  ];
}

function others(writer: Schema, reader: Schema, at: string): readonly string[] {
  const changed = EQUAL.filter((word) => reader[word] !== undefined && !sameText(writer[word], reader[word]));
  return valuesOf(writer) ? [] : changed.map((word) => `${at} has another ${word}`);
}

/** Returns whether a schema accepts everything. */
function isOpen(schema: Schema): boolean {
  return Object.keys(schema).every((word) => SAYS_NOTHING.has(word));
}

const SAYS_NOTHING: ReadonlySet<string> = new Set(["description", "title", "default", "examples", "$id", "$comment"]);

function alternatives(schema: Schema): readonly Schema[] | null {
  return Array.isArray(schema["anyOf"]) ? schema["anyOf"].filter(isSchema) : null;
}

function valuesOf(schema: Schema): readonly string[] | null {
  if (schema["const"] !== undefined) return [JSON.stringify(schema["const"])];
  return Array.isArray(schema["enum"]) ? schema["enum"].map((value) => JSON.stringify(value)) : null;
}

function typesOf(schema: Schema): readonly string[] {
  const { type } = schema;
  if (Array.isArray(type)) return type.map(String);
  return typeof type === "string" ? [type] : ["any"];
}

function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return asSchema(schema["properties"]) as Readonly<Record<string, Schema>>;
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asSchema(value: unknown): Schema {
  return isSchema(value) ? value : {};
}

function sameText(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function unique(parts: readonly string[]): readonly string[] {
  return [...new Set(parts)];
}
