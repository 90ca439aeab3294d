import type { Registration } from "@toolbus/contracts";

/** A rule of a profile's `tools`, split into its parts. */
export type ToolRule =
  | { readonly by: "name"; readonly name: string; readonly version: string | null; readonly optional: boolean }
  | { readonly by: "kind" | "toolset" | "source"; readonly value: string };

/** Reads `find_order`, `find_order@v3`, `find_order?`, `kind:read`, `toolset:web` or `source:mcp:weather`. */
export function toolRule(text: string): ToolRule {
  const colon = text.indexOf(":");
  const by = text.slice(0, Math.max(0, colon));
  if (by === "kind" || by === "toolset" || by === "source") return { by, value: text.slice(colon + 1) };
  const optional = text.endsWith("?");
  const [name = "", version] = (optional ? text.slice(0, -1) : text).split("@");
  return { by: "name", name, version: version ?? null, optional };
}

/** Returns true if the rule matches this tool in this version. */
export function ruleMatches(rule: ToolRule, { definition, toolset }: Registration): boolean {
  switch (rule.by) {
    case "name":
      return definition.name === rule.name && (rule.version === null || definition.version === rule.version);
    case "kind":
      return definition.kind === rule.value;
    case "toolset":
      return toolset === rule.value;
    case "source":
      return definition.source === rule.value;
    default:
      return rule satisfies never;
  }
}
