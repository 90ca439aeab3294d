import { exampleArguments, isJsonObject, type Json, requiredArguments } from "@toolbus/contracts";
import type { ToolSpec } from "../../schema/tool-spec.ts";

/** A tool with arguments that work at this moment, if its workers declare some. */
export interface ChatTool extends ToolSpec {
  /** The arguments as JSON text. */
  readonly example?: string | undefined;
}

/** The text below an example that contains a `<name>`. */
export const REPLACE = "Replace what is between < and > first: it is a text that I do not know.";

/** Returns a call of the tool as a person would type it, with only the required arguments. */
export function exampleCall(tool: ChatTool): string {
  const { name, parameters, example } = tool;
  return requiredArguments(parameters).length === 0 ? name : `${name} ${spaced(exampleArguments(parameters, example).arguments)}`;
}

/** Returns true if the example of one of these tools cannot be sent as it is. */
export function needsReplacing(tools: readonly ChatTool[]): boolean {
  return tools.some(({ parameters, example }) => !exampleArguments(parameters, example).complete);
}

/** Returns JSON text with a space after each colon and comma, as people write it. */
function spaced(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (isJsonObject(value))
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}
