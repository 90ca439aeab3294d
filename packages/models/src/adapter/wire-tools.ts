import { type CompiledTool, compileTool } from "../schema/compile-tool.ts";
import { dialectRules } from "../schema/dialect-rules.ts";
import type { DialectName } from "../schema/dialect.ts";
import type { ModelRequest } from "../model-provider.ts";

/** The tools of one request in a vendor's form, with the mapping of their names in both directions. */
export interface WireTools {
  /**
   * The tools as they are sent, in the order of the request. The list omits tools that cannot be expressed for this vendor, the second of two tools
   * with one name, and tools over the vendor's limit. The request should therefore name the most wanted tools first.
   */
  readonly offered: readonly CompiledTool[];
  /** The tools' own names, in the same order, because a vendor's complaint about `tools.3` is about the fourth tool. */
  readonly names: readonly string[];
  /** Returns the vendor's name for this tool, even if the request does not offer the tool. */
  wireName(name: string): string;
  /** Returns the call with the name and arguments of the tool's own definition. A call of a tool that was not offered stays unchanged. */
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

/** Returns the maximum number of tools in one request to this vendor. */
export function mostTools(dialect: DialectName): number {
  return dialectRules(dialect)?.tools ?? Number.POSITIVE_INFINITY;
}

/**
 * Returns true if the reply may contain calls. If it may not, the adapter omits the calls of the reply, because some vendors have no such setting or
 * ignore it.
 */
export function mayCall({ toolChoice }: ModelRequest, { offered }: WireTools): boolean {
  return toolChoice !== "none" && offered.length > 0;
}

/** Returns the vendor's name for a tool that is no longer offered, because the transcript may still contain its calls. */
function nameAlone(name: string, dialect: DialectName): string {
  const tool = compileTool({ name, description: "", parameters: { type: "object", properties: {} } }, dialect);
  return tool.ok ? tool.name : name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "tool";
}
