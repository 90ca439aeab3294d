import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import fc from "fast-check";

/** Generates values that a compiled schema accepts, including values at its bounds. */
export function instancesOf(schema: Json | undefined, level = 1): fc.Arbitrary<Json> {
  if (!isJsonObject(schema)) throw new Error("no schema");
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return fc.constantFrom(...(values as readonly Json[]));
  switch (type) {
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return numbersOf(schema, type === "integer");
    case "string":
      return stringsOf(schema);
    case "array":
      return listsOf(schema, level);
    case "object":
      return objectsOf(schema, level);
    default:
      throw new Error(`no such type: ${String(JSON.stringify(type))}`);
  }
}

const figure = (value: Json | undefined) => (typeof value === "number" ? value : undefined);

function numbersOf(schema: JsonObject, whole: boolean): fc.Arbitrary<Json> {
  const [least, most] = [figure(schema["minimum"]), figure(schema["maximum"])];
  const [above, below] = [figure(schema["exclusiveMinimum"]), figure(schema["exclusiveMaximum"])];
  const step = figure(schema["multipleOf"]);
  const min = Math.max(least ?? -Infinity, above ?? -Infinity, -1e6);
  const max = Math.min(most ?? Infinity, below ?? Infinity, Math.max(1e6, min + 100));
  const fits = (value: number) => (above === undefined || value > above) && (below === undefined || value < below);
  if (step !== undefined)
    return fc
      .integer({ min: Math.ceil(min / step), max: Math.floor(max / step) })
      .map((times) => times * step)
      .filter(fits);
  const wholes = fc.integer({ min: Math.ceil(min), max: Math.floor(max) });
  const edges = [min, max, 0].filter((value) => value >= min && value <= max && (!whole || Number.isInteger(value)));
  const all = whole ? wholes : fc.double({ min, max, noNaN: true }).map((value) => value + 0);
  return (edges.length > 0 ? fc.oneof(all, fc.constantFrom(...edges)) : all).filter(fits);
}

const BY_FORMAT: Readonly<Record<string, readonly string[]>> = {
  "date-time": ["2026-11-21T10:00:00Z", "2024-02-29T23:59:59.999+02:00"],
  date: ["2026-11-21", "2024-02-29"],
  time: ["10:00:00Z", "23:59:59.5+01:00"],
  duration: ["P1D", "PT5M"],
  email: ["a@example.com"],
  hostname: ["example.com", "localhost"],
  ipv4: ["127.0.0.1"],
  ipv6: ["::1"],
  uuid: ["123e4567-e89b-12d3-a456-426614174000"],
  uri: ["https://example.com/a?b=c#d"],
};

/** Some of the texts are JSON, because a text can stand for the JSON value in it. */
const TEXTS = ["", "plain", "{}", '{"a":1}', "[]", "[1,null]", "null", "true", "12", "-0.5", '"quoted"', "{broken", "ünïcode 🎉", "1e999"];

function stringsOf(schema: JsonObject): fc.Arbitrary<Json> {
  const { format, pattern } = schema;
  const min = figure(schema["minLength"]) ?? 0;
  const max = Math.min(figure(schema["maxLength"]) ?? Infinity, min + 30);
  const fits = (text: string) => Array.from(text).length >= min && Array.from(text).length <= max;
  if (typeof format === "string") return fc.constantFrom(...(BY_FORMAT[format] ?? ["x"]));
  if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern, "u")).filter(fits);
  const texts = TEXTS.filter(fits);
  const free = fc.string({ minLength: min, maxLength: max, unit: "grapheme-ascii" });
  return texts.length > 0 ? fc.oneof(fc.constantFrom(...texts), free) : free;
}

function listsOf(schema: JsonObject, level: number): fc.Arbitrary<Json> {
  const minLength = figure(schema["minItems"]) ?? 0;
  const maxLength = Math.min(figure(schema["maxItems"]) ?? Infinity, minLength + (level > 3 ? 1 : 3));
  const items = instancesOf(schema["items"], level + 1);
  return schema["uniqueItems"] === true
    ? fc.uniqueArray(items, { minLength, maxLength, selector: (value) => JSON.stringify(value) })
    : fc.array(items, { minLength, maxLength });
}

function objectsOf(schema: JsonObject, level: number): fc.Arbitrary<Json> {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(schema["required"] as readonly string[]);
  const members = Object.entries(properties).map(([name, part]) =>
    (required.has(name) ? instancesOf(part, level + 1) : fc.option(instancesOf(part, level + 1), { nil: undefined })).map(
      (value) => [name, value] as const,
    ),
  );
  return fc.tuple(...members).map((entries) => Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as JsonObject);
}
