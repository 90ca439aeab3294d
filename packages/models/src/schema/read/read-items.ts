import type { Json, JsonObject } from "@toolbus/contracts";
import type { Loss } from "../loss.ts";
import { under } from "../pointer.ts";
import type { Shape, Word } from "../shape.ts";
import { sameShape } from "../same-shape.ts";
import { unite } from "../unite.ts";
import { inside, type Place, type Reading } from "./reading.ts";

export interface ItemsRead {
  /** Null if the schema does not describe the items. */
  readonly items: Shape | null;
  /** The bounds that follow from a list of items. */
  readonly words: ReadonlyMap<string, Word>;
  readonly losses: readonly Loss[];
  readonly said: boolean;
}

type ReadPart = (schema: Json, place: Place, reading: Reading) => Shape;

/**
 * Reads the rules of a schema for an array's items. A list by position (a tuple) becomes a list of the same length, in which each item may be a value
 * of any position.
 */
export function readItems(schema: JsonObject, place: Place, reading: Reading, readPart: ReadPart): ItemsRead {
  const { items, prefixItems } = schema;
  const list = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : null;
  if (list && list.length > 0)
    return readTuple(list as readonly Json[], list === prefixItems ? "prefixItems" : "items", place, reading, readPart);
  const at = under(place.at, "items");
  if (items === undefined || items === null || list) return { items: null, words: new Map(), losses: [], said: false };
  if (items === false) return { items: null, words: new Map([["maxItems", { value: 0, at }]]), losses: [], said: true };
  return { items: readPart(items, inside(place, at), reading), words: new Map(), losses: [], said: true };
}

function readTuple(list: readonly Json[], word: string, place: Place, reading: Reading, readPart: ReadPart): ItemsRead {
  const at = under(place.at, word);
  const shapes = list.slice(0, MAX_POSITIONS).map((part, index) => readPart(part, inside(place, under(at, index)), reading));
  const [first, ...more] = shapes as [Shape, ...Shape[]];
  const alike = more.every((shape) => sameShape(first, shape));
  const any = more.reduce((all, shape) => unite(all, shape, at), first);
  return {
    items: alike ? first : any,
    words: new Map([["maxItems", { value: list.length, at }]]),
    losses: alike ? [] : [{ pointer: at, what: "The types of the list's single positions are not passed on." }],
    said: true,
  };
}

const MAX_POSITIONS = 32;
