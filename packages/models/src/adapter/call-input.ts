import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/**
 * A call's arguments as the JSON object that a vendor expects. Text that is not an object, which models sometimes write, is put whole under `_unreadable`:
 * the model sees what it wrote, and the request is accepted. No text at all means a call without arguments.
 */
export function callInput(argumentsText: string): JsonObject {
  if (argumentsText.trim() === "") return {};
  return jsonObjectOf(argumentsText) ?? { _unreadable: argumentsText };
}

/** The JSON object in a text; null for everything else. */
export function jsonObjectOf(text: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
