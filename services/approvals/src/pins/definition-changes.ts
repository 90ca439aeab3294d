import type { FieldChange, Json, JsonObject, ToolDefinition } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";

/** Returns the fields in which two definitions differ, by JSON Pointer. Objects are compared field by field, and every other value as a whole. */
export function definitionChanges(from: ToolDefinition, to: ToolDefinition): readonly FieldChange[] {
  return changes("", from, to).slice(0, MOST);
}

/** Nobody reads a longer list, and both definitions are shown next to it. */
const MOST = 200;

function changes(path: string, from: Json | undefined, to: Json | undefined): readonly FieldChange[] {
  if (isObject(from) && isObject(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].toSorted();
    return names.flatMap((name) => changes(`${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, own(from, name), own(to, name)));
  }
  if (from !== undefined && to !== undefined && canonicalJson(from) === canonicalJson(to)) return [];
  if (from === undefined && to === undefined) return [];
  return [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
}

function own(value: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
