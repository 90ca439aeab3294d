import type { JsonObject } from "@toolbus/contracts";

/** A tool as a model sees it, with only the public schema. Kind, risk and routing are not included. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}
