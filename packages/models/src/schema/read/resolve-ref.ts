import { isJsonObject, type Json } from "@toolbus/contracts";
import { under, valueAt } from "../pointer.ts";
import type { Reading } from "./reading.ts";

/** Returns the target of a reference inside the same document, as a JSON pointer. Returns null if the reference leads elsewhere or nowhere. */
export function resolveRef(ref: string, reading: Reading): string | null {
  const id = isJsonObject(reading.root) ? reading.root["$id"] : undefined;
  const local = typeof id === "string" && id !== "" && ref.startsWith(id) ? ref.slice(id.length) : ref;
  if (local === "" || local === "#") return "";
  if (local.startsWith("#/")) {
    // Some generators percent-encode and some do not. A name may also contain a real percent sign.
    const pointers = [decoded(local.slice(1)), local.slice(1)];
    return pointers.find((pointer) => valueAt(reading.root, pointer) !== undefined) ?? null;
  }
  reading.anchors ??= anchorsOf(reading.root);
  return reading.anchors.get(local) ?? reading.anchors.get(ref) ?? null;
}

function decoded(pointer: string): string {
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}

/** Returns every anchor of the document with its place. The search is limited and not recursive, because the document may be hostile. */
function anchorsOf(root: Json): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const open: (readonly [Json, string])[] = [[root, ""]];
  for (let seen = 0; seen < MAX_LOOKED_AT; seen++) {
    const next = open.pop();
    if (!next) break;
    const [value, at] = next;
    if (typeof value !== "object" || value === null) continue;
    if (isJsonObject(value) && at !== "") {
      for (const [word, prefix] of ANCHORS) {
        const name = value[word];
        if (typeof name === "string" && !found.has(prefix + name)) found.set(prefix + name, at);
      }
    }
    for (const [name, part] of Object.entries(value)) {
      if (open.length > MAX_LOOKED_AT) break;
      open.push([part as Json, under(at, name)]);
    }
  }
  return found;
}

const ANCHORS = [
  ["$anchor", "#"],
  ["$dynamicAnchor", "#"],
  ["$id", ""],
  ["id", ""],
] as const;
const MAX_LOOKED_AT = 20_000;
