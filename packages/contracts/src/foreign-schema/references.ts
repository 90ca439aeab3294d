import { isJsonObject, type Json } from "../json.ts";
import { below, quoted, refuse } from "./schema-fault.ts";

/** A part of a schema with its pointer. */
interface Place {
  readonly schema: Json;
  readonly pointer: string;
}

type Anchors = ReadonlyMap<string, Place>;

/**
 * Returns the schema that a reference names. The reference is `#`, `#/a/pointer` into the same schema, `#anchor`, or one of these after the schema's
 * own `$id`. The compiler never fetches anything, so it refuses a reference to another document. It also refuses a reference into a nested schema
 * with its own name, because references below that schema would be relative to that name.
 */
export function findReference(root: Json, ref: string, { at, anchors }: { readonly at: string; readonly anchors: Anchors }): Place {
  const own = ownFragment(root, ref);
  if (own === null)
    return refuse(at, `The reference ${quoted(ref)} leads out of the schema. Only "#/…" is accepted: put what it names under $defs.`);
  const fragment = decoded(own, at);
  const found = fragment === "" || fragment.startsWith("/") ? byPointer(root, fragment) : anchors.get(fragment);
  return found ?? refuse(at, `The reference ${quoted(ref)} leads to nothing.`);
}

/**
 * Returns the part after the "#" of a reference into this schema, with or without the schema's own name. Returns null for a reference to another
 * document.
 */
function ownFragment(root: Json, ref: string): string | null {
  const [document = "", ...rest] = ref.split("#");
  const { $id, id } = isJsonObject(root) ? root : {};
  const names = [$id, id].map((name) => (typeof name === "string" ? name.replace(/#$/, "") : null));
  return document === "" || names.includes(document) ? rest.join("#") : null;
}

function decoded(fragment: string, at: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return refuse(at, `The reference ${quoted(`#${fragment}`)} cannot be read.`);
  }
}

function byPointer(root: Json, pointer: string): Place | null {
  let place = root;
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, name)) return null;
    place = (place as { readonly [name: string]: Json })[name] ?? null;
    if (isJsonObject(place) && typeof place["$id"] === "string" && !place["$id"].startsWith("#")) return null;
  }
  return { schema: place, pointer };
}

/** Returns the anchors of all nested schemas with their places. If a name occurs twice, it names the outermost schema. */
export function anchorsOf(root: Json): Anchors {
  const named = new Map<string, Place>();
  let level: readonly Place[] = [{ schema: root, pointer: "" }];
  while (level.length > 0) {
    const next: Place[] = [];
    for (const { schema, pointer } of level) {
      if (typeof schema !== "object" || schema === null) continue;
      if (isJsonObject(schema))
        for (const name of [schema["$anchor"], schema["$dynamicAnchor"], idAnchor(schema["$id"])])
          if (typeof name === "string" && !named.has(name)) named.set(name, { schema, pointer });
      for (const [member, part] of Object.entries(schema) as [string, Json][]) next.push({ schema: part, pointer: below(pointer, member) });
    }
    level = next;
  }
  return named;
}

/** Returns the anchor that draft-07 writes as `"$id": "#name"`, or null. */
function idAnchor(id: Json | undefined): string | null {
  return typeof id === "string" && id.startsWith("#") ? id.slice(1) : null;
}
