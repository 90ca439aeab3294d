import type { JsonObject } from "@toolbus/contracts";
import { objectOf, textOf } from "../wire/fields.ts";
import type { Finding } from "../wire/rule.ts";
import { type SchemaAt, schemasIn } from "../wire/schema-walk.ts";
import type { ChatVendor } from "./chat-vendor.ts";

/** A request with functions, for a chat completion or for a response. */
export interface HasFunctions {
  readonly vendor: ChatVendor;
  readonly functions: readonly JsonObject[];
}

/**
 * Returns the finding for the first function whose parameters break the check, or null. A function without parameters accepts no arguments, so it
 * passes.
 */
export function eachParameters(
  { functions }: HasFunctions,
  check: (schema: JsonObject, tool: JsonObject) => string | null,
): Finding | null {
  for (const [index, tool] of functions.entries()) {
    if (tool["parameters"] === undefined || tool["parameters"] === null) continue;
    const found = check(objectOf(tool["parameters"]), tool);
    if (found === null) continue;
    const message = `Invalid schema for function '${textOf(tool["name"])}': ${found}`;
    return { message, param: `tools[${index}].function.parameters`, code: "invalid_function_parameters" };
  }
  return null;
}

/** Checks every schema inside the parameters. The finding names the place in OpenAI's notation. */
export function eachSchema(ask: HasFunctions, check: (at: SchemaAt, tool: JsonObject) => string | null): Finding | null {
  return eachParameters(ask, (schema, tool) => {
    for (const at of schemasIn(schema)) {
      const found = check(at, tool);
      if (found !== null) return `In context=${context(at.pointer)}, ${found}`;
    }
    return null;
  });
}

function context(pointer: string): string {
  const steps = pointer.split("/").slice(1);
  return `(${steps.map((step) => `'${step}'`).join(", ")}${steps.length === 1 ? "," : ""})`;
}
