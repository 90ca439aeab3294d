import type { Json, JsonObject } from "@toolbus/contracts";
import { type Kind, type KindName, NO_MEMBERS, type Shape, takesNull } from "../shape.ts";
import { chooseKind } from "./choose-kind.ts";
import { describe } from "./describe.ts";
import { asJsonText } from "./json-text.ts";
import { writeArray } from "./write-array.ts";
import { writeMap } from "./write-map.ts";
import { writeObject } from "./write-object.ts";
import { writeScalar } from "./write-scalar.ts";
import { lose, type Spot, type WriteResult, type Writing } from "./writing.ts";

/** Writes a part in the dialect's form. */
export function writeShape(shape: Shape, spot: Spot, writing: Writing): WriteResult {
  if (shape.fault) return { ok: false, ...shape.fault };
  for (const loss of shape.losses) writing.losses.push(loss);
  const { kind: name, left } = chooseKind(shape);
  const listed = left.length > 0 ? listedValues(shape) : null;
  if (listed) return asJsonText(shape, spot, writing, { form: "value", values: listed });
  const kind = name === null ? undefined : shape.kinds[name];
  if (name === null || !kind) return writeAny(shape, spot, writing);
  if (left.length > 0) lose(writing, shape.at, `Of several types only ${name} is offered, not ${left.join(" or ")}.`);
  if (takesNull(shape) && !spot.nullIsHandled) lose(writing, shape.at, "null is not offered.");
  for (const loss of kind.losses) writing.losses.push(loss);
  if (isComposite(name) && kind.values && isBounded(kind))
    lose(writing, kind.values.at, "The other rules for the listed values are not passed on.");
  if (isComposite(name) && kind.values) return asJsonText(shape, spot, writing, { form: name, values: kind.values.list });
  switch (name) {
    case "object":
      return writeObjectPart(shape, kind, spot, writing);
    case "array":
      return isTooDeep(spot, writing) ? tooDeep(shape, name, spot, writing) : writeArray(shape, kind, spot, writing, writeShape);
    default:
      return writeScalar(shape, name, kind, spot, writing);
  }
}

/** Returns the values of a part that lists them for each of its types, or null for any other part. */
function listedValues({ kinds, opaque }: Shape): readonly Json[] | null {
  if (opaque !== null) return null;
  const lists: Json[] = [];
  for (const kind of Object.values(kinds)) {
    if (!kind.values || kind.losses.length > 0 || isBounded(kind)) return null;
    lists.push(...kind.values.list);
  }
  return lists;
}

/** Returns true if the kind has other rules for its values in addition to the list. */
function isBounded({ words, items, members }: Kind): boolean {
  return words.size > 0 || items !== null || members !== NO_MEMBERS;
}

const isComposite = (name: KindName) => name === "object" || name === "array";

function writeAny(shape: Shape, spot: Spot, writing: Writing): WriteResult {
  const values: readonly Json[] | null = shape.kinds.null && Object.keys(shape.kinds).length === 1 ? [null] : null;
  if (shape.opaque === null && !shape.kinds.null) lose(writing, shape.at, "That the value is not null is not passed on.");
  return asJsonText(shape, spot, writing, { form: "value", values });
}

function writeObjectPart(shape: Shape, kind: Kind, spot: Spot, writing: Writing): WriteResult {
  const { properties, required, others } = kind.members;
  if (properties.size > 0 || required.size > 0) {
    if (isTooDeep(spot, writing)) return tooDeep(shape, "object", spot, writing);
    return writeObject(shape, kind, spot, writing, writeShape);
  }
  // The entry and its value add two levels.
  const typed = others && others.fault === null && (chooseKind(others).kind !== null || others.kinds.string === undefined);
  if (typed && spot.depth + 2 < writing.depth) return writeMap(shape, kind, others, spot, writing, writeShape);
  if (spot.depth === 1 && !others) return emptyRoot(shape, spot, writing);
  lose(writing, shape.at, "The members of the object are not passed on: it is written as JSON text.");
  return asJsonText(shape, spot, writing, { form: "object", values: null });
}

function emptyRoot(shape: Shape, spot: Spot, writing: Writing): WriteResult {
  const description = describe(shape, spot.name, spot.notes, writing);
  const schema: JsonObject = {
    type: "object",
    ...(description ? { description } : {}),
    properties: {},
    required: [],
    additionalProperties: false,
  };
  return { ok: true, schema, plan: null };
}

const isTooDeep = ({ depth }: Spot, writing: Writing) => depth >= writing.depth;

function tooDeep(shape: Shape, form: "object" | "array", spot: Spot, writing: Writing): WriteResult {
  lose(writing, shape.at, `The schema is deeper than ${writing.depth} levels here: the ${form} is written as JSON text.`);
  return asJsonText(shape, spot, writing, { form, values: null });
}
