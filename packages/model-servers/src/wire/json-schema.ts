import { compileSchema, type JsonObject } from "@toolbus/contracts";

/** True when it is a JSON Schema of draft 2020-12, whatever dialect it says it is. */
export function isJsonSchema({ $schema: _dialect, ...schema }: JsonObject): boolean {
  try {
    compileSchema(schema);
    return true;
  } catch {
    return false;
  }
}
