import type { JsonObject } from "@toolbus/contracts";

/** The SDK's "document" type, which is any JSON in writable types. */
type Document = null | boolean | number | string | Document[] | { [key: string]: Document };

/** Returns a copy of the value as a document. */
export function documentOf(value: JsonObject): Document {
  return structuredClone(value) as Document;
}
