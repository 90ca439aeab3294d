import type { ModelRequest } from "../model-provider.ts";
import type { ToolSpec } from "../schema/tool-spec.ts";
import type { CompiledTool } from "../schema/compile-tool.ts";
import type { DialectName } from "../schema/dialect.ts";
import { type WireTools, wireTools } from "../adapter/wire-tools.ts";

/** The tools of a request in this vendor's form. */
export interface SentTools extends WireTools {
  /** The tools as JSON text of the request; sent only if there are any. */
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

/** Names that every vendor of this family accepts unchanged. For any other name the dialect's rules are applied. */
const TAKEN_BY_ALL = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** The vendor's names of tools, including tools that are no longer offered and tools that a model made up. */
export function toolNames(dialect: DialectName): (name: string) => string {
  const { wireName } = wireTools([], dialect);
  return (name) => (TAKEN_BY_ALL.test(name) ? name : wireName(name));
}

/** The choice to send. Null if it is the vendor's default, or if it names a tool that is not sent. */
export function sentChoice({ toolChoice = "auto" }: Pick<ModelRequest, "toolChoice">, { names, wireName }: SentTools): Choice | null {
  if (names.length === 0 || toolChoice === "auto") return null;
  if (toolChoice === "none" || toolChoice === "required") return toolChoice;
  const name = toolChoice.slice("tool:".length);
  return names.includes(name) ? { name: wireName(name) } : null;
}

export type Choice = "none" | "required" | { readonly name: string };
