import type { ModelRequest } from "../model-provider.ts";
import type { ToolSpec } from "../schema/tool-spec.ts";
import type { CompiledTool } from "../schema/compile-tool.ts";
import type { DialectName } from "../schema/dialect.ts";
import { type WireTools, wireTools } from "../adapter/wire-tools.ts";

/** The tools of a request in this vendor's form. */
export interface SentTools extends WireTools {
  /** The tools as JSON text of the request. The request contains them only if the list is not empty. */
  readonly json: string;
}

/** Converts lists of tools to a vendor's form, each list and each tool only once. */
export function toolsSender(dialect: DialectName, form: (tool: CompiledTool) => object): (tools: readonly ToolSpec[]) => SentTools {
  const known = new WeakMap<readonly ToolSpec[], SentTools>();
  const texts = new WeakMap<CompiledTool, string>();
  const textOf = (tool: CompiledTool): string => {
    const text = texts.get(tool) ?? JSON.stringify(form(tool));
    texts.set(tool, text);
    return text;
  };
  return (tools) => {
    let made = known.get(tools);
    if (made === undefined) {
      const wire = wireTools(tools, dialect);
      made = { ...wire, json: `[${wire.offered.map(textOf).join(",")}]` };
      known.set(tools, made);
    }
    return made;
  };
}

/** Names that every vendor of this family accepts unchanged. The dialect's rules apply to any other name. */
const TAKEN_BY_ALL = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/**
 * Returns a function from a tool's name to the vendor's name. The function also accepts names of tools that are no longer offered, and names that a
 * model made up.
 */
export function toolNames(dialect: DialectName): (name: string) => string {
  const { wireName } = wireTools([], dialect);
  return (name) => (TAKEN_BY_ALL.test(name) ? name : wireName(name));
}

/** Returns the choice to send. Returns null for the vendor's default, and for a tool that the request does not contain. */
export function sentChoice({ toolChoice = "auto" }: Pick<ModelRequest, "toolChoice">, { names, wireName }: SentTools): Choice | null {
  if (names.length === 0 || toolChoice === "auto") return null;
  if (toolChoice === "none" || toolChoice === "required") return toolChoice;
  const name = toolChoice.slice("tool:".length);
  return names.includes(name) ? { name: wireName(name) } : null;
}

export type Choice = "none" | "required" | { readonly name: string };
