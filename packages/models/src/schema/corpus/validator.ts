import { foreignSchema, type JsonObject, type Validator } from "@toolbus/contracts";

/** The check that a worker makes. */
export function validatorOf(schema: JsonObject): Validator {
  const made = foreignSchema(schema);
  if (!made.ok) throw new Error(`${made.fault.pointer}: ${made.fault.reason}`);
  return made.validate;
}
