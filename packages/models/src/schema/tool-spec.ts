import type { JsonObject } from "@toolbus/contracts";

/** A tool as a model sees it: the public schema only. Kind, risk and routing stay inside. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}
