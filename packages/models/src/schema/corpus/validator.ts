import { foreignSchema, type JsonObject, type Validator } from "@toolbus/contracts";

/** The same check as a worker's. */
export function validatorOf(schema: JsonObject): Validator {
  const made = foreignSchema(schema);
  if (!made.ok) throw new Error(`${made.fault.pointer}: ${made.fault.reason}`);
  return made.validate;
}
