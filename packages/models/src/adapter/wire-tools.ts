import { type CompiledTool, compileTool } from "../schema/compile-tool.ts";
import { dialectRules } from "../schema/dialect-rules.ts";
import type { DialectName } from "../schema/dialect.ts";
import type { ModelRequest } from "../model-provider.ts";

/** The tools of one request in a vendor's form, with the way to their names there and back. */
export interface WireTools {
  /**
   * As they are sent, in the order of the request. What has no form for this vendor is left out, and so is the second of two with one name, and
   * what comes after as many as the vendor takes: the most wanted come first.
   */
  readonly offered: readonly CompiledTool[];
  /** The tools' own names, in the same order: a vendor's complaint about `tools.3` is about the fourth. */
  readonly names: readonly string[];
  /** How the vendor is told this tool's name, offered or not. */
  wireName(name: string): string;
  /** The call as the tool's author would read it. A name that nobody offered passes through as it is, and its arguments too. */
  restored(wireName: string, argumentsText: string): { readonly name: string; readonly arguments: string };
}

export function wireTools(tools: ModelRequest["tools"], dialect: DialectName): WireTools {
  const byWireName = new Map<string, { readonly name: string; readonly tool: CompiledTool }>();
  const wireNames = new Map<string, string>();
  const most = mostTools(dialect);
  for (const spec of tools) {
    if (byWireName.size === most) break;
    const tool = compileTool(spec, dialect);
    if (!tool.ok || byWireName.has(tool.name)) continue;
    byWireName.set(tool.name, { name: spec.name, tool });
    wireNames.set(spec.name, tool.name);
  }
  const offered = [...byWireName.values()];
  return {
    offered: offered.map(({ tool }) => tool),
    names: offered.map(({ name }) => name),
    wireName: (name) => wireNames.get(name) ?? nameAlone(name, dialect),
    restored(wireName, argumentsText) {
      const known = byWireName.get(wireName);
      if (!known) return { name: wireName, arguments: argumentsText };
      return { name: known.name, arguments: known.tool.restore(argumentsText) };
    },
  };
}

/** How many tools one request to this vendor may have. */
export function mostTools(dialect: DialectName): number {
  return dialectRules(dialect)?.tools ?? Number.POSITIVE_INFINITY;
}

/** Whether a call may come at all. A vendor that cannot be told so, or does not keep to it, writes calls that count for nothing. */
export function mayCall({ toolChoice }: ModelRequest, { offered }: WireTools): boolean {
  return toolChoice !== "none" && offered.length > 0;
}

/** A tool of an earlier turn that is not offered any more: its calls still stand in the transcript, under a name that the vendor takes. */
function nameAlone(name: string, dialect: DialectName): string {
  const tool = compileTool({ name, description: "", parameters: { type: "object", properties: {} } }, dialect);
  return tool.ok ? tool.name : name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "tool";
}
