import type { Json, JsonObject } from "@toolbus/contracts";
import { under } from "../pointer.ts";
import type { Renamed } from "../restore.ts";
import { anything, type Kind, type Members, type Shape, takesNull } from "../shape.ts";
import { describe } from "./describe.ts";
import { asJsonText } from "./json-text.ts";
import { safeKeys } from "./safe-key.ts";
import { writeWords } from "./write-words.ts";
import { lose, type WriteResult, type Writing, type Spot, type WritePart } from "./writing.ts";

/**
 * Writes a closed object with its listed properties. The function changes names that the vendor refuses, and `restoreArguments` restores them later.
 * A required property that may be null becomes optional. If the model omits such a property, it is restored as null. A property that no value
 * satisfies is omitted if it is optional, and it is a fault if it is required.
 */
export function writeObject(shape: Shape, kind: Kind, spot: Spot, writing: Writing, writePart: WritePart): WriteResult {
  const members = withRequired(kind.members, shape.at);
  const names = [...members.properties.keys()];
  const keys = safeKeys(names, writing.rules.key);
  const properties: (readonly [string, Json])[] = [];
  const required: string[] = [];
  const renamed = new Map<string, Renamed>();
  const absent: (readonly [string, Json])[] = [];

  for (const [index, [name, part]] of [...members.properties].entries()) {
    const key = keys[index] ?? name;
    const must = members.required.has(name);
    const nullable = takesNull(part);
    const onlyNull = nullable && Object.keys(part.kinds).length === 1;
    if (nullable && must) absent.push([name, null]);
    // The shape's own losses are reported when the rest of the shape is written.
    if (nullable && must) writing.losses.push(...(onlyNull ? part.losses : []), ...(part.kinds.null?.losses ?? []));
    if (onlyNull) continue;
    if (++writing.properties > writing.rules.properties) return tooMany(shape, writing);
    const notes = key === name ? [] : [`Named ${JSON.stringify(name.slice(0, 80))}.`];
    const written = writePart(
      part,
      { name, depth: spot.depth + 1, nullIsHandled: nullable && (must || part.nullByDefault), notes },
      writing,
    );
    if (!written.ok) {
      if (must && !nullable) return written;
      lose(writing, written.pointer, `The property is not offered: ${written.reason}`);
      continue;
    }
    properties.push([key, written.schema]);
    if (key !== name || written.plan) renamed.set(key, { name, plan: written.plan });
    if (must && !nullable) required.push(key);
  }
  // Vendors handle a nested object without properties badly. Such an object has only one possible value.
  if (properties.length === 0 && spot.depth > 1)
    return asJsonText(shape, spot, writing, { form: "object", values: [Object.fromEntries(absent)] });
  loseOthers(kind, writing);
  const { notes } = writeWords("object", kind, writing);
  const description = describe(shape, spot.name, [...notes, ...spot.notes], writing);
  const schema: JsonObject = {
    type: "object",
    ...(description ? { description } : {}),
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
  return { ok: true, schema, plan: renamed.size + absent.length === 0 ? null : { kind: "object", members: renamed, absent } };
}

/** Adds each required property that is not listed, with the shape of the additional members. */
function withRequired(members: Members, at: string): Members {
  const missing = [...members.required].filter((name) => !members.properties.has(name));
  if (missing.length === 0) return members;
  const shape = members.others || anything(under(at, "required"));
  return { ...members, properties: new Map([...members.properties, ...missing.map((name) => [name, shape] as const)]) };
}

function loseOthers({ members: { others } }: Kind, writing: Writing): void {
  if (others) lose(writing, others.at, "Members beside the listed ones are not offered.");
}

function tooMany(shape: Shape, writing: Writing): WriteResult {
  const reason = `The schema has more than ${writing.rules.properties} properties; make several tools of it.`;
  return { ok: false, pointer: under(shape.at, "properties"), reason };
}
