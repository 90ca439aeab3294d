import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import type { Loss } from "../loss.ts";
import { under } from "../pointer.ts";
import { anything, FREE, type Kind, type Members, NO_MEMBERS, type Shape } from "../shape.ts";
import { unite } from "../unite.ts";
import { faulty, inside, type Place, type Reading } from "./reading.ts";

export interface MembersRead {
  readonly members: Members;
  readonly losses: readonly Loss[];
  /** True if a word of the schema applies to objects. */
  readonly said: boolean;
}

type ReadPart = (schema: Json, place: Place, reading: Reading) => Shape;

/** Reads the rules of a schema for an object's members. */
export function readMembers(schema: JsonObject, place: Place, reading: Reading, readPart: ReadPart): MembersRead {
  const { properties, required, additionalProperties, patternProperties, propertyNames } = schema;
  const at = (...names: readonly string[]) => under(place.at, ...names);
  const losses: Loss[] = [];
  const shapes = new Map<string, Shape>();
  const must = new Set<string>();

  for (const [name, part] of entriesOf(properties, at("properties"), reading)) {
    if (reading.room <= 0) {
      losses.push({ pointer: at("properties"), what: "There are too many properties; the rest are not offered." });
      break;
    }
    shapes.set(name, readPart(part, inside(place, at("properties", name)), reading));
    // Draft-03 has `required` inside the property, and many generators still write it there.
    if (isJsonObject(part) && part["required"] === true) must.add(name);
  }
  if (Array.isArray(required)) {
    for (const name of (required as readonly Json[]).slice(0, MAX_REQUIRED)) if (typeof name === "string") must.add(name);
  } else if (required !== undefined && required !== null && typeof required !== "boolean") {
    losses.push({ pointer: at("required"), what: '"required" is not a list of names, and is not passed on.' });
  }

  const patterned = entriesOf(patternProperties, at("patternProperties"), reading).slice(0, MAX_PATTERNS);
  const byPattern = patterned.map(([pattern, part]) => readPart(part, inside(place, at("patternProperties", pattern), MAP), reading));
  const besides = othersOf(additionalProperties, inside(place, at("additionalProperties"), MAP), reading, readPart);
  const [first, ...more] = byPattern;
  let others = besides;
  let keys = isSaid(propertyNames) ? readPart(propertyNames as Json, inside(place, at("propertyNames")), reading) : null;
  if (first) {
    // The schema may allow only names that match a pattern, or also other names. In both cases the result is one map, whose values are those that any
    // of these parts allows.
    others = more.reduce((all, shape) => unite(all, shape, at("patternProperties")), besides ? unite(first, besides, place.at) : first);
    const [pattern] = patterned[0] ?? [];
    if (more.length === 0 && besides === false && pattern !== undefined) keys ??= namesBy(pattern, at("patternProperties"));
    else losses.push({ pointer: at("patternProperties"), what: "The values for each pattern of names are not passed on." });
    if (shapes.size > 0) losses.push({ pointer: at("patternProperties"), what: '"patternProperties" is not passed on.' });
  }
  if (isSaid(propertyNames) && shapes.size > 0) losses.push({ pointer: at("propertyNames"), what: '"propertyNames" is not passed on.' });
  const said = shapes.size > 0 || must.size > 0 || others !== null || keys !== null || isJsonObject(properties);
  return { members: said ? { properties: shapes, required: must, others, keys } : NO_MEMBERS, losses, said };
}

/** A map becomes a list of entries, which needs two levels. */
const MAP = 2;
const MAX_REQUIRED = 8000;
const MAX_PATTERNS = 8;

const isSaid = (value: Json | undefined) => value !== undefined && value !== null;

/** Returns the shape of names that match the pattern. */
function namesBy(pattern: string, at: string): Shape {
  const string: Kind = { ...FREE, said: true, words: new Map([["pattern", { value: pattern, at }]]) };
  return { ...anything(at), kinds: { string } };
}

function othersOf(value: Json | undefined, place: Place, reading: Reading, readPart: ReadPart): Shape | false | null {
  if (value === undefined || value === null) return null;
  return value === false ? false : readPart(value, place, reading);
}

/** Returns the members of a word that contains schemas by name. An empty list counts as an empty object, because PHP writes it so. */
function entriesOf(value: Json | undefined, at: string, reading: Reading): readonly (readonly [string, Json])[] {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return [];
  if (isJsonObject(value)) return Object.entries(value);
  faulty(reading, at, "This is not an object of schemas by name; write one.");
  return [];
}
