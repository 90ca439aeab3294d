import { type CompiledTool, compileTool } from "../schema/compile-tool.ts";
import { dialectRules } from "../schema/dialect-rules.ts";
import type { DialectName } from "../schema/dialect.ts";
import type { ModelRequest } from "../model-provider.ts";

/** The tools of one request in a vendor's form, with the mapping of their names in both directions. */
export interface WireTools {
  /**
   * As they are sent, in the order of the request. Left out are tools that cannot be expressed for this vendor, the second of two with one name, and those
   * over the vendor's limit: the most wanted come first.
   */
  readonly offered: readonly CompiledTool[];
  /** The tools' own names, in the same order: a vendor's complaint about `tools.3` is about the fourth. */
  readonly names: readonly string[];
  /** The vendor's name for this tool, offered or not. */
  wireName(name: string): string;
  /** The call as the tool's author would read it. A name that was not offered stays unchanged, and so do its arguments. */
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

/** The maximum number of tools in one request to this vendor. */
export function mostTools(dialect: DialectName): number {
  return dialectRules(dialect)?.tools ?? Number.POSITIVE_INFINITY;
}

/** Whether a call may come at all. If a vendor cannot be told that none may, or ignores it, its calls do not count. */
export function mayCall({ toolChoice }: ModelRequest, { offered }: WireTools): boolean {
  return toolChoice !== "none" && offered.length > 0;
}

/** A tool of an earlier turn that is no longer offered: its calls are still in the transcript, under a name that the vendor accepts. */
function nameAlone(name: string, dialect: DialectName): string {
  const tool = compileTool({ name, description: "", parameters: { type: "object", properties: {} } }, dialect);
  return tool.ok ? tool.name : name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "tool";
}
