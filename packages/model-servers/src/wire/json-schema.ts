import { compileSchema, type JsonObject } from "@toolbus/contracts";

/** Returns true for a JSON Schema of draft 2020-12, whatever dialect it claims. */
export function isJsonSchema({ $schema: _dialect, ...schema }: JsonObject): boolean {
  try {
    compileSchema(schema);
    return true;
  } catch {
    return false;
  }
}
