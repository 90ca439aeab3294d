import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/**
 * A call's arguments as the JSON object that a vendor wants them in. Text that is none, as models write it at times, stands in it whole under
 * `_unreadable`: the model sees what it wrote, and the request is taken. No text at all is a call without arguments.
 */
export function callInput(argumentsText: string): JsonObject {
  if (argumentsText.trim() === "") return {};
  return jsonObjectOf(argumentsText) ?? { _unreadable: argumentsText };
}

/** The JSON object that a text is; null for everything else. */
export function jsonObjectOf(text: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
