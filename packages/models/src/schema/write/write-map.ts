import type { JsonObject } from "@toolbus/contracts";
import type { Kind, Shape } from "../shape.ts";
import { describe } from "./describe.ts";
import { writeWords } from "./write-words.ts";
import { lose, type WriteResult, type Writing, type Spot, type WritePart } from "./writing.ts";

/**
 * Writes an object with free names (`additionalProperties` with a schema) as a list of `{key, value}`, because a closed object cannot express it.
 * `restoreArguments` later converts the list back to the object. If two entries have the same key, the last one is used.
 */
export function writeMap(shape: Shape, kind: Kind, others: Shape, spot: Spot, writing: Writing, writePart: WritePart): WriteResult {
  const depth = spot.depth + 2;
  const value = writePart(others, { name: "value", depth, nullIsHandled: false, notes: [] }, writing);
  if (!value.ok) return value;
  const { keys } = kind.members;
  const named = keys ? writePart(onlyText(keys), { name: "key", depth, nullIsHandled: true, notes: [] }, writing) : null;
  if (named && (!named.ok || named.plan !== null || named.schema["type"] !== "string"))
    lose(writing, keys?.at ?? shape.at, "The rules for the names are not passed on.");
  // The number of entries is not the number of members, because two entries may have the same key.
  for (const word of kind.words.values()) lose(writing, word.at, "The limits for the number of members are not passed on.");
  const { notes } = writeWords("object", kind, { ...writing, losses: [] });
  const description = describe(shape, spot.name, ["A map, as a list of entries with different keys.", ...notes, ...spot.notes], writing);
  const key = named?.ok && named.plan === null && named.schema["type"] === "string" ? named.schema : { type: "string" };
  writing.properties += 2;
  const entry: JsonObject = {
    type: "object",
    properties: { key, value: value.schema },
    required: ["key", "value"],
    additionalProperties: false,
  };
  return { ok: true, schema: { type: "array", description, items: entry }, plan: { kind: "map", value: value.plan } };
}

/** Returns the shape limited to strings, because a name is always a string, whatever else its schema allows. */
function onlyText(shape: Shape): Shape {
  const { string } = shape.kinds;
  return string ? { ...shape, kinds: { string } } : shape;
}
