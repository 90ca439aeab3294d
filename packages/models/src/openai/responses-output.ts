import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/** Returns the text of a response's output items, including refusals. */
export function outputText(items: readonly JsonObject[]): string {
  return items
    .filter((item) => item["type"] === "message" && Array.isArray(item["content"]))
    .flatMap((item) => (item["content"] as readonly Json[]).filter(isJsonObject))
    .map(({ type, text, refusal }) => (type === "refusal" ? refusal : text))
    .filter((text) => typeof text === "string")
    .join("");
}
