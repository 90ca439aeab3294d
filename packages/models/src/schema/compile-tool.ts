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

type Made = Map<DialectName, CompiledTool | ToolSetAside>;

const made = new WeakMap<ToolSpec, Made>();
/** By what the tool says: definitions are read from the store again and again, each time as another object. */
const madeByText = new Map<string, Made>();
const MAX_TEXTS = 1000;
/** A longer text is known by its hash. */
const MAX_TEXT = 1000;

/** The tool in this dialect, made once and kept: the same object for the same spec. Never throws, whatever the schema is. */
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
  // The oldest goes first; whoever still uses it compiles it again.
  const [oldest] = madeByText.keys();
  if (madeByText.size >= MAX_TEXTS && oldest !== undefined) madeByText.delete(oldest);
  madeByText.set(text, known);
  return known;
}

/** Null for a tool that is no data. */
function textOf({ name, description, parameters }: ToolSpec): string | null {
  try {
    const text = JSON.stringify([name, description, parameters]);
    return text.length > MAX_TEXT ? createHash("sha256").update(text).digest("base64") : text;
  } catch {
    return null;
  }
}

/** The tool in every dialect. */
export function compileForAll(tool: ToolSpec): Readonly<Record<DialectName, CompiledTool | ToolSetAside>> {
  const all = DIALECTS.map((dialect) => [dialect, compileTool(tool, dialect)] as const);
  return Object.fromEntries(all) as Record<DialectName, CompiledTool | ToolSetAside>;
}

function compileOnce(tool: ToolSpec, rules: DialectRules | null): CompiledTool | ToolSetAside {
  try {
    return rules ? compileFor(tool, rules) : asItIs(tool);
  } catch (thrown) {
    // A schema that is no data at all, such as one whose members throw when they are read.
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

/** Where the schema has too many parts, or is too long, it is written less deep. */
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

/** Most dialects go equally deep, so that one reading serves them all, for as long as the caller has the schema. */
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
  return { pointer: "", what: `The tool's description of ${length} characters is cut.` };
}

/** Each loss once, and no endless list of them. */
function few(losses: readonly Loss[]): readonly Loss[] {
  const once = [...new Map(losses.map((loss) => [`${loss.pointer}\n${loss.what}`, loss])).values()];
  if (once.length <= MAX_LOSSES) return once;
  return [
    ...once.slice(0, MAX_LOSSES - 1),
    { pointer: "", what: `${once.length - MAX_LOSSES + 1} more parts are not passed on as they are.` },
  ];
}

const MAX_LOSSES = 100;
