import type { JsonObject } from "@toolbus/contracts";
import type { Kind, Shape } from "../shape.ts";
import { describe } from "./describe.ts";
import { writeWords } from "./write-words.ts";
import { lose, type WriteResult, type Writing, type Spot, type WritePart } from "./writing.ts";

/** Writes a list with typed items. If the schema does not describe the items, they are strings, which is right for nearly all of these lists. */
export function writeArray(shape: Shape, kind: Kind, spot: Spot, writing: Writing, writePart: WritePart): WriteResult {
  const inside: Spot = { name: "", depth: spot.depth + 1, nullIsHandled: false, notes: [] };
  if (!kind.items && kind.words.get("maxItems")?.value !== 0) lose(writing, shape.at, 'The array has no "items"; strings are offered.');
  const items = kind.items ? writePart(kind.items, inside, writing) : { ok: true as const, schema: { type: "string" }, plan: null };
  // If no item can be valid, only an empty list is valid.
  const empty = !items.ok;
  if (empty && typeof kind.words.get("minItems")?.value === "number") return items;
  if (empty) lose(writing, items.pointer, `No item is valid: ${items.reason}`);
  const { written, notes } = writeWords("array", kind, writing);
  const description = describe(shape, spot.name, [...notes, ...spot.notes], writing);
  const schema: JsonObject = {
    type: "array",
    ...(description ? { description } : {}),
    items: empty ? { type: "string" } : items.schema,
    ...written,
  };
  const plan = empty || items.plan === null ? null : { kind: "list" as const, items: items.plan };
  return { ok: true, schema, plan };
}
