import type { JsonObject } from "@toolbus/contracts";

/** What the SDK's types call a document: any JSON, in types that can be written to. */
type Document = null | boolean | number | string | Document[] | { [key: string]: Document };

/** The value as a document of its own. */
export function documentOf(value: JsonObject): Document {
  return structuredClone(value) as Document;
}
