import type { ModelRequest } from "../model-provider.ts";
import type { ToolSpec } from "../schema/tool-spec.ts";
import type { CompiledTool } from "../schema/compile-tool.ts";
import type { DialectName } from "../schema/dialect.ts";
import { type WireTools, wireTools } from "../adapter/wire-tools.ts";

/** The tools of a request in this vendor's form. */
export interface SentTools extends WireTools {
  /** As the request has them; they are sent only when there are any. */
  readonly json: string;
}

/** Puts lists of tools into a vendor's form, each list and each tool of it once. */
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

/** What no vendor of this family has another form for; any other name is worth a look at the vendor's rules. */
const TAKEN_BY_ALL = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** Tools' names towards the vendor, also of tools that are no longer offered, or that a model made up. */
export function toolNames(dialect: DialectName): (name: string) => string {
  const { wireName } = wireTools([], dialect);
  return (name) => (TAKEN_BY_ALL.test(name) ? name : wireName(name));
}

/** What the vendor is told of a choice: nothing where that is its default, or where the choice names what is not sent. */
export function sentChoice({ toolChoice = "auto" }: Pick<ModelRequest, "toolChoice">, { names, wireName }: SentTools): Choice | null {
  if (names.length === 0 || toolChoice === "auto") return null;
  if (toolChoice === "none" || toolChoice === "required") return toolChoice;
  const name = toolChoice.slice("tool:".length);
  return names.includes(name) ? { name: wireName(name) } : null;
}

export type Choice = "none" | "required" | { readonly name: string };
