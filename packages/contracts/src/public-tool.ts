import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** The part of a definition that the model sees. It is enough to call the tool, but says nothing about how the tool is run, guarded or owned. */
export interface PublicTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

const made = new WeakMap<ToolDefinition, PublicTool>();

/**
 * Returns the name, the description and the parameters of a definition. It omits members of the schema that begin with `x-`, because they are the
 * author's remarks. The function computes the result once per definition.
 */
export function publicTool(definition: ToolDefinition): PublicTool {
  const known = made.get(definition);
  if (known) return known;
  const { name, description, parameters } = definition;
  const tool: PublicTool = { name, description, parameters: publicSchema(parameters) };
  made.set(definition, tool);
  return tool;
}

/** Returns a schema without the author's remarks. The names of properties belong to the tool, so they remain even if they begin with `x-`. */
function publicSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([word]) => !word.startsWith("x-"))
      .map(([word, value]) => [word, publicWord(word, value)]),
  );
}

function publicWord(word: string, value: Json): Json {
  // The value of these words is data of the tool, so a name that begins with "x-" is not a remark here.
  if (DATA.has(word)) return value;
  if (Array.isArray(value)) return value.map(publicPart);
  if (word !== "properties" || !isJsonObject(value)) return publicPart(value);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, publicPart(part)]));
}

function publicPart(part: Json): Json {
  return isJsonObject(part) ? publicSchema(part) : part;
}

const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required"]);
