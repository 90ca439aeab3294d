import { foreignSchema, type JsonObject, type Validator } from "@toolbus/contracts";

/** Returns the validator that a worker uses. */
export function validatorOf(schema: JsonObject): Validator {
  const made = foreignSchema(schema);
  if (!made.ok) throw new Error(`${made.fault.pointer}: ${made.fault.reason}`);
  return made.validate;
}
