import { createHash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import type { ToolSpec } from "./tool-spec.ts";
import { type DialectRules, dialectRules } from "./dialect-rules.ts";
import { type DialectName, DIALECTS } from "./dialect.ts";
import type { Fault, Loss } from "./loss.ts";
import { readSchema, type ReadResult } from "./read/read-schema.ts";
import { type Plan, restoreArguments } from "./restore.ts";
import { keepsStrict } from "./strict.ts";
import { cut, wellFormed } from "./write/describe.ts";
import { safeToolName } from "./write/safe-key.ts";
import { type RootResult, writeRoot } from "./write/write-root.ts";

export type { Loss } from "./loss.ts";

/** A tool in a vendor's form. */
export interface CompiledTool {
  readonly ok: true;
  /** The name for the vendor. It differs from the tool's own name if the vendor does not accept that name. */
  readonly name: string;
  readonly description: string;
  /** The schema exactly as it is sent. */
  readonly parameters: JsonObject;
  /** True if the vendor can enforce the schema (`strict`). */
  readonly strict: boolean;
  readonly losses: readonly Loss[];
  /** Converts the model's arguments back to the form of the tool's own schema. Text that is not a JSON object stays unchanged. */
  restore(argumentsText: string): string;
}

/** A tool that has no form in this dialect. Only providers with this dialect do not receive the tool. */
export interface ToolSetAside {
  readonly ok: false;
  readonly pointer: string;
  /** A sentence that names the problem and what the author of the schema can do. */
  readonly reason: string;
}

type Made = Map<DialectName, CompiledTool | ToolSetAside>;

const made = new WeakMap<ToolSpec, Made>();
/** The compiled tools by their text. The text is the key because the store returns the same definition as a new object each time. */
const madeByText = new Map<string, Made>();
const MAX_TEXTS = 1000;
/** The maximum length of a key. Longer texts are hashed. */
const MAX_TEXT = 1000;

/**
 * Returns the tool in this dialect. The function compiles each tool once, and returns the same object for the same spec. Never throws, whatever the
 * schema is.
 */
export function compileTool(tool: ToolSpec, dialect: DialectName): CompiledTool | ToolSetAside {
  const known = made.get(tool) ?? madeOf(tool);
  const compiled = known.get(dialect) ?? compileOnce(tool, dialectRules(dialect));
  known.set(dialect, compiled);
  return compiled;
}

function madeOf(tool: ToolSpec): Made {
  const text = textOf(tool);
  const known = (text === null ? undefined : madeByText.get(text)) ?? new Map<DialectName, CompiledTool | ToolSetAside>();
  made.set(tool, known);
  if (text === null) return known;
  // The cache evicts the oldest entry first. If somebody still needs that tool, it is compiled again.
  const [oldest] = madeByText.keys();
  if (madeByText.size >= MAX_TEXTS && oldest !== undefined) madeByText.delete(oldest);
  madeByText.set(text, known);
  return known;
}

/** Returns the key of a tool, or null for a tool that is not plain data. */
function textOf({ name, description, parameters }: ToolSpec): string | null {
  try {
    const text = JSON.stringify([name, description, parameters]);
    return text.length > MAX_TEXT ? createHash("sha256").update(text).digest("base64") : text;
  } catch {
    return null;
  }
}

/** Returns the tool in every dialect. */
export function compileForAll(tool: ToolSpec): Readonly<Record<DialectName, CompiledTool | ToolSetAside>> {
  const all = DIALECTS.map((dialect) => [dialect, compileTool(tool, dialect)] as const);
  return Object.fromEntries(all) as Record<DialectName, CompiledTool | ToolSetAside>;
}

function compileOnce(tool: ToolSpec, rules: DialectRules | null): CompiledTool | ToolSetAside {
  try {
    return rules ? compileFor(tool, rules) : asItIs(tool);
  } catch (thrown) {
    // The schema is not plain data, for example because its members throw when they are read.
    const why = thrown instanceof Error ? thrown.message.slice(0, 200) : "something was thrown";
    return { ok: false, pointer: "", reason: `The schema cannot be read (${why}); give the tool plain JSON.` };
  }
}

function asItIs({ name, description, parameters }: ToolSpec): CompiledTool {
  return { ok: true, name, description, parameters, strict: false, losses: [], restore: (text) => text };
}

function compileFor(tool: ToolSpec, rules: DialectRules): CompiledTool | ToolSetAside {
  const root = writtenThatFits(tool.parameters, rules);
  if (!root.ok) return setAside(root);
  const { schema, plan } = root;
  const described = wellFormed(String(tool.description)) || `The tool ${tool.name}.`;
  const description = cut(described, rules.toolDescription);
  const losses = described.length > rules.toolDescription ? [tooLong(described.length), ...root.losses] : root.losses;
  const strict = rules.strict !== null && losses.length === 0 && keepsStrict(schema, rules.strict);
  return {
    ok: true,
    name: safeToolName(tool.name, rules.toolName),
    description,
    parameters: schema,
    strict,
    losses: few(losses),
    restore: restoring(plan),
  };
}

/** Writes the schema. If the schema has too many parts or is too long, the function writes fewer of its levels. */
function writtenThatFits(parameters: Json, rules: DialectRules): RootResult {
  const depths = [rules.depth, ...SHALLOWER.filter((less) => less < rules.depth)];
  let last: RootResult = NO_SCHEMA;
  for (const depth of depths) {
    const result = readOnce(parameters, depth);
    if (result.fault) return { ok: false, tooLong: false, ...result.fault };
    if (!result.whole && depth !== depths.at(-1)) continue;
    last = writeRoot(result.shape, rules, depth);
    if (last.ok || !last.tooLong) break;
  }
  return last;
}

/** Reads a schema once per depth. Most dialects allow the same depth, so they share one reading as long as the schema object exists. */
function readOnce(parameters: Json, depth: number): ReadResult {
  if (!isJsonObject(parameters)) return readSchema(parameters, depth);
  const known = read.get(parameters) ?? new Map<number, ReadResult>();
  read.set(parameters, known);
  const result = known.get(depth) ?? readSchema(parameters, depth);
  known.set(depth, result);
  return result;
}

const read = new WeakMap<JsonObject, Map<number, ReadResult>>();
const SHALLOWER = [6, 4, 3, 2];
const NO_SCHEMA: RootResult = { ok: false, pointer: "", reason: "There is no schema.", tooLong: false };

const restoring = (plan: Plan) => (text: string) => restoreArguments(text, plan);

function setAside({ pointer, reason }: Fault): ToolSetAside {
  return { ok: false, pointer, reason };
}

function tooLong(length: number): Loss {
  return { pointer: "", what: `The tool's description of ${length} characters is truncated.` };
}

/** Returns the losses without duplicates and limited in number. */
function few(losses: readonly Loss[]): readonly Loss[] {
  const once = [...new Map(losses.map((loss) => [`${loss.pointer}\n${loss.what}`, loss])).values()];
  if (once.length <= MAX_LOSSES) return once;
  return [
    ...once.slice(0, MAX_LOSSES - 1),
    { pointer: "", what: `${once.length - MAX_LOSSES + 1} more parts are not passed on as they are.` },
  ];
}

const MAX_LOSSES = 100;
