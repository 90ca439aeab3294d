import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** The part of a definition that reaches a model: enough to call the tool, and nothing about how it is run, guarded or owned. */
export interface PublicTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

const made = new WeakMap<ToolDefinition, PublicTool>();

/**
 * The public face of a definition: name, description and parameters, without the members of the schema that begin with `x-` (an author's own remarks). Made
 * once per definition.
 */
export function publicTool(definition: ToolDefinition): PublicTool {
  const known = made.get(definition);
  if (known) return known;
  const { name, description, parameters } = definition;
  const tool: PublicTool = { name, description, parameters: publicSchema(parameters) };
  made.set(definition, tool);
  return tool;
}

/** A schema without its internal parts. The names of properties are the tool's own and stay, whatever they begin with. */
function publicSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([word]) => !word.startsWith("x-"))
      .map(([word, value]) => [word, publicWord(word, value)]),
  );
}

function publicWord(word: string, value: Json): Json {
  // Here "x-..." would be data of the tool, not a remark about it.
  if (DATA.has(word)) return value;
  if (Array.isArray(value)) return value.map(publicPart);
  if (word !== "properties" || !isJsonObject(value)) return publicPart(value);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, publicPart(part)]));
}

function publicPart(part: Json): Json {
  return isJsonObject(part) ? publicSchema(part) : part;
}

const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required"]);
