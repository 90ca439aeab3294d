import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/**
 * Returns a call's arguments as the JSON object that a vendor expects. Models sometimes write text that is not an object. The whole text then becomes
 * the member `_unreadable`. So the model sees its own text again, and the vendor accepts the request. A blank text means a call without arguments.
 */
export function callInput(argumentsText: string): JsonObject {
  if (argumentsText.trim() === "") return {};
  return jsonObjectOf(argumentsText) ?? { _unreadable: argumentsText };
}

/** Returns the JSON object in a text, or null for everything else. */
export function jsonObjectOf(text: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
