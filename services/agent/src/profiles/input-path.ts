import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/** Returns the value at a path such as `alert.labels.release`, or undefined if a part of the path is missing. Reads only own members. */
export function valueAt(input: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = input;
  for (const member of path.split(".")) {
    if (!isJsonObject(value) || !Object.hasOwn(value, member)) return undefined;
    value = value[member];
  }
  return value;
}
