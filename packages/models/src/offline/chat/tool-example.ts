import { exampleArguments, isJsonObject, type Json, requiredArguments } from "@toolbus/contracts";
import type { ToolSpec } from "../../schema/tool-spec.ts";

/** A tool, with arguments that its workers declare to work at this moment, if they know some. */
export interface ChatTool extends ToolSpec {
  /** As JSON text. */
  readonly example?: string | undefined;
}

/** What to say below an example that has a `<name>` in it. */
export const REPLACE = "Replace what is between < and > first: it is a text that I do not know.";

/** A call of the tool as a person would type it: what it requires, and nothing else. */
export function exampleCall(tool: ChatTool): string {
  const { name, parameters, example } = tool;
  return requiredArguments(parameters).length === 0 ? name : `${name} ${spaced(exampleArguments(parameters, example).arguments)}`;
}

/** True if the example of one of these tools cannot be sent as it is. */
export function needsReplacing(tools: readonly ChatTool[]): boolean {
  return tools.some(({ parameters, example }) => !exampleArguments(parameters, example).complete);
}

/** JSON text with a space after each colon and comma, as people write it. */
function spaced(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (isJsonObject(value))
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}
