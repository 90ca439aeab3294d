import type { JsonObject } from "@toolbus/contracts";

/** The SDK's "document" type: any JSON, in writable types. */
type Document = null | boolean | number | string | Document[] | { [key: string]: Document };

/** The value as a separate document. */
export function documentOf(value: JsonObject): Document {
  return structuredClone(value) as Document;
}
