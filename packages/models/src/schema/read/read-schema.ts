import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import { emptiness } from "../empty-kind.ts";
import { intersect } from "../intersect.ts";
import type { Fault, Loss } from "../loss.ts";
import { under, valueAt } from "../pointer.ts";
import { anything, KINDS, type Kind, type KindName, NO_MEMBERS, nothing, type Shape, unread, type Values, withKinds } from "../shape.ts";
import { alternatives } from "./alternatives.ts";
import { droppedWords } from "./dropped-words.ts";
import { readItems } from "./read-items.ts";
import { readMembers } from "./read-members.ts";
import { readTypes } from "./read-type.ts";
import { readValues } from "./read-values.ts";
import { readWords } from "./read-words.ts";
import { beginReading, beside, faulty, MAX_DEPTH, type Place, type Reading } from "./reading.ts";
import { remarks } from "./remarks.ts";
import { resolveRef } from "./resolve-ref.ts";

export interface ReadResult {
  readonly shape: Shape;
  /** The first place that is not a schema. */
  readonly fault: Fault | null;
  /** False if the schema has more parts than the limit. A reading with fewer levels may then include more parts of the schema. */
  readonly whole: boolean;
}

/** Reads a tool's parameters as a shape, down to this number of nested objects and lists. The work is limited, whatever the parameters are. */
export function readSchema(parameters: Json, levels: number): ReadResult {
  const reading = beginReading(parameters, levels);
  const shape = readPart(parameters, { at: "", level: 1, depth: 0, trail: [""] }, reading);
  return { shape, fault: reading.fault, whole: reading.room >= 0 };
}

function readPart(schema: Json, place: Place, reading: Reading): Shape {
  if (place.level > reading.levels || place.depth > MAX_DEPTH)
    return unread(place.at, "The schema is too deep; its inner part is not passed on.");
  if (reading.room-- <= 0) return unread(place.at, "The schema has too many parts; its inner part is not passed on.");
  if (schema === true) return anything(place.at);
  if (schema === false) return nothing({ pointer: place.at, reason: "The schema false accepts no value; leave the property out." });
  if (isJsonObject(schema)) return readObject(schema, place, reading);
  faulty(reading, place.at, "This is not a JSON Schema; write an object with a type.");
  return anything(place.at);
}

function readObject(schema: JsonObject, place: Place, reading: Reading): Shape {
  const parts = [
    readOwn(schema, place, reading),
    ...REFS.flatMap((word) => readRef(schema[word], under(place.at, word), place, reading)),
    ...partsOf(schema["allOf"], place, "allOf", reading),
    ...formsOf(schema["anyOf"], place, "anyOf", reading),
    ...formsOf(schema["oneOf"], place, "oneOf", reading),
  ];
  return parts.reduce(intersect);
}

const REFS = ["$ref", "$dynamicRef", "$recursiveRef"] as const;

function readRef(ref: Json | undefined, at: string, place: Place, reading: Reading): readonly Shape[] {
  if (ref === undefined || ref === null) return [];
  const target = typeof ref === "string" ? resolveRef(ref, reading) : null;
  const schema = target === null ? undefined : valueAt(reading.root, target);
  if (target === null || schema === undefined) {
    faulty(reading, at, `The reference ${shown(ref)} names nothing in this schema; write out what it stands for.`);
    return [];
  }
  if (place.trail.includes(target)) {
    const again = unread(at, "The schema contains itself here; its inner part is not passed on.");
    return [{ ...again, description: `Of the same form as ${target.split("/").at(-1) || "the whole"}.` }];
  }
  return [readPart(schema, { ...beside(place, target), trail: [...place.trail, target] }, reading)];
}

function shown(ref: Json): string {
  return typeof ref === "string" ? JSON.stringify(ref.slice(0, 120)) : "that is not a text";
}

function listOf(value: Json | undefined, place: Place, word: string, reading: Reading): readonly Shape[] {
  if (value === undefined || value === null) return [];
  const at = under(place.at, word);
  if (!Array.isArray(value)) {
    faulty(reading, at, `"${word}" is not a list of schemas; write one.`);
    return [];
  }
  return (value as readonly Json[]).slice(0, MAX_PARTS_IN_LIST).map((part, index) => {
    return readPart(part, beside(place, under(at, index)), reading);
  });
}

const MAX_PARTS_IN_LIST = 200;

function partsOf(value: Json | undefined, place: Place, word: string, reading: Reading): readonly Shape[] {
  const parts = listOf(value, place, word, reading);
  return overlong(value) ? [...parts, lossy(under(place.at, word), "There are too many parts; the rest is not passed on.")] : parts;
}

function formsOf(value: Json | undefined, place: Place, word: "anyOf" | "oneOf", reading: Reading): readonly Shape[] {
  const forms = listOf(value, place, word, reading);
  return forms.length === 0 ? [] : [alternatives(forms, under(place.at, word), word === "oneOf")];
}

const overlong = (value: Json | undefined) => Array.isArray(value) && value.length > MAX_PARTS_IN_LIST;

function lossy(at: string, what: string): Shape {
  return { ...anything(at), losses: [{ pointer: at, what }] };
}

/** Reads the rules in the schema's own words, without words such as `allOf` that contain other schemas for the same value. */
function readOwn(schema: JsonObject, place: Place, reading: Reading): Shape {
  const { at } = place;
  const types = readTypes(schema, place, reading);
  const values = readValues(schema, place, reading);
  const dropped = droppedWords(schema, at);
  const kinds: { [name in KindName]?: Kind } = {};
  let fault: Fault | null = null;
  for (const name of KINDS) {
    if (types.names && !types.names.has(name)) continue;
    if (dropped.ruledOut.has(name) || (values && !values.has(name))) continue;
    const kind = readKind(name, schema, place, reading, types.integer && name === "number", dropped.byKind.get(name) ?? []);
    const list = values?.get(name) ?? null;
    const whole = withValues(name, kind, list);
    const empty = emptiness(name, whole, at);
    if (empty) fault ??= empty;
    else kinds[name] = whole;
  }
  const shape: Shape = { ...anything(at), ...remarks(schema), losses: [...types.losses, ...dropped.losses] };
  return withKinds(
    shape,
    kinds,
    fault ?? { pointer: at, reason: "No value satisfies this schema; correct it, or leave the property out." },
  );
}

function withValues(name: KindName, kind: Kind, values: Values | null): Kind {
  if (!values) return kind;
  const list = kind.integer ? values.list.filter((value) => Number.isInteger(value)) : values.list;
  if (list.length <= (name === "array" || name === "object" ? MAX_COMPOSITE : MAX_VALUES))
    return { ...kind, values: { ...values, list }, said: true };
  const loss = { pointer: values.at, what: `A list of ${list.length} values is too long to be passed on.` };
  return { ...kind, said: true, losses: [...kind.losses, loss] };
}

const MAX_VALUES = 10_000;
const MAX_COMPOSITE = 200;

function readKind(name: KindName, schema: JsonObject, place: Place, reading: Reading, integer: boolean, dropped: readonly Loss[]): Kind {
  const { words, losses } = readWords(schema, name, place.at);
  // A format applies to numbers and to strings, so it does not show the intended type.
  const said = words.size > (words.has("format") && name === "number" ? 1 : 0);
  const kind: Kind = { said, integer, words, values: null, losses: [...losses, ...dropped], items: null, members: NO_MEMBERS };
  if (name === "array") {
    const read = readItems(schema, place, reading, readPart);
    const bounds = new Map(words);
    for (const [word, bound] of read.words) {
      const own = bounds.get(word)?.value;
      if (typeof own !== "number" || own > Number(bound.value)) bounds.set(word, bound);
    }
    return { ...kind, words: bounds, items: read.items, losses: [...kind.losses, ...read.losses], said: said || read.said };
  }
  if (name !== "object") return kind;
  const read = readMembers(schema, place, reading, readPart);
  return { ...kind, members: read.members, losses: [...kind.losses, ...read.losses], said: said || read.said };
}
