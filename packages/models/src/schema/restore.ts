import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/** The plan that converts arguments back to the form of the tool's own schema. Null if the compiler rewrote nothing. */
export type Plan =
  | null
  /** A text that contains JSON. */
  | { readonly kind: "json" }
  | { readonly kind: "list"; readonly items: Plan }
  /** A list of `{key, value}` that stands for an object. */
  | { readonly kind: "map"; readonly value: Plan }
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, Renamed>; readonly absent: readonly (readonly [string, Json])[] }
  /** The root contains the arguments in this one member. */
  | { readonly kind: "inside"; readonly member: string; readonly plan: Plan };

export interface Renamed {
  readonly name: string;
  readonly plan: Plan;
}

/**
 * Returns the model's arguments in the form of the tool's own schema. It never throws. A text that is not a JSON object, or that cannot be written as
 * JSON again, stays unchanged.
 */
export function restoreArguments(text: string, plan: Plan): string {
  if (plan === null) return text;
  try {
    const written = JSON.parse(text) as Json;
    return isJsonObject(written) ? JSON.stringify(restore(written, plan), onlyFinite) : text;
  } catch {
    return text;
  }
}

/** Throws for an infinite number. JSON text can contain one (1e999), but `JSON.stringify` would silently write null. */
function onlyFinite(_name: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("a number that JSON cannot write");
  return value;
}

/** Returns the restored value. A value without the form of the plan stays unchanged, because the check of the arguments reports its fault. */
function restore(value: Json, plan: Plan): Json {
  switch (plan?.kind) {
    case undefined:
      return value;
    case "json":
      return typeof value === "string" ? parsed(value) : value;
    case "list":
      return Array.isArray(value) ? (value as readonly Json[]).map((item) => restore(item, plan.items)) : value;
    case "map":
      return Array.isArray(value) ? restoreMap(value, plan.value) : value;
    case "object":
      return isJsonObject(value) ? restoreObject(value, plan.members, plan.absent) : value;
    case "inside":
      return isJsonObject(value) && Object.hasOwn(value, plan.member) ? restore(value[plan.member] as Json, plan.plan) : value;
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text, onlyFinite) as Json;
  } catch {
    return text;
  }
}

function restoreMap(entries: readonly Json[], plan: Plan): Json {
  const pairs: (readonly [string, Json])[] = [];
  for (const entry of entries) {
    if (!isJsonObject(entry) || typeof entry["key"] !== "string" || entry["value"] === undefined) return entries;
    pairs.push([entry["key"], restore(entry["value"], plan)]);
  }
  return Object.fromEntries(pairs);
}

function restoreObject(value: JsonObject, members: ReadonlyMap<string, Renamed>, absent: readonly (readonly [string, Json])[]): JsonObject {
  const entries = Object.entries(value).map(([key, member]): readonly [string, Json] => {
    const known = members.get(key);
    return known ? [known.name, restore(member, known.plan)] : [key, member];
  });
  const missing = absent.filter(([name]) => !entries.some(([written]) => written === name));
  return Object.fromEntries([...entries, ...missing]);
}
