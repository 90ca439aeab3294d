import { jsonParser, type Parsed } from "./parse.ts";
import { registryVersion } from "./registry-version.ts";
import { type Static, Type } from "./schema.ts";
import type { Tier, ToolKind } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;

/** The limits of an agent that a stamp names. */
export const StampedLimits = Type.Object(
  {
    /** The most rounds of a run, by profile. */
    max_tool_rounds: Type.Record(Type.String({ maxLength: 64 }), Type.Integer({ minimum: 1 })),
    /** The most reads and computes of one turn that run at the same time. */
    parallel_read_max: Type.Integer({ minimum: 1 }),
  },
  closed,
);
export type StampedLimits = Static<typeof StampedLimits>;

/** The content of a registry stamp: which tools, limits and high tiers a deployment was made for (G-16). */
export const RegistryStamp = Type.Object(
  {
    /** The version of this form. */
    stamp: Type.Literal(1),
    /** The version of the registry with exactly these tools. It shows a change by hand. */
    registry_version: Type.String({ pattern: "^[0-9a-f]{16}$" }),
    limits: StampedLimits,
    /** The writes whose own tier is high or critical, as `toolset/name@version`. */
    hitl_tier_high: Type.Array(Type.String({ maxLength: 200 }), { maxItems: 2000 }),
    /** The hash of each definition as `name@version`, by toolset. */
    toolsets: Type.Record(Type.String({ maxLength: 32 }), Type.Record(Type.String({ maxLength: 120 }), Type.String({ maxLength: 80 }))),
  },
  closed,
);
export type RegistryStamp = Static<typeof RegistryStamp>;

/** A tool as a stamp sees it. */
export interface StampedTool {
  readonly toolset: string;
  readonly name: string;
  readonly version: string;
  readonly hash: string;
  readonly kind: ToolKind;
  readonly tier: Tier;
}

/** Returns the stamp of a deployment with these tools and limits. */
export function stampOf(tools: readonly StampedTool[], limits: StampedLimits): RegistryStamp {
  const names = [...new Set(tools.map(({ toolset }) => toolset))].toSorted();
  return {
    stamp: 1,
    registry_version: registryVersion(tools),
    limits,
    hitl_tier_high: highOf(tools).toSorted(),
    toolsets: Object.fromEntries(
      names.map((toolset) => [
        toolset,
        Object.fromEntries(
          tools
            .filter((tool) => tool.toolset === toolset)
            .map((tool) => [idOf(tool), tool.hash] as const)
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        ),
      ]),
    ),
  };
}

/** Reads a stamp. A stamp whose tools do not fit its own version was changed by hand, and is refused. */
export function parseRegistryStamp(text: string): Parsed<RegistryStamp> {
  const parsed = parseStamp(text);
  if (!parsed.ok) return parsed;
  const { toolsets, registry_version: version } = parsed.value;
  const entries = Object.values(toolsets).flatMap((tools) =>
    Object.entries(tools).map(([id, hash]) => {
      const at = id.lastIndexOf("@");
      return { name: id.slice(0, at), version: id.slice(at + 1), hash };
    }),
  );
  if (registryVersion(entries) === version) return parsed;
  return { ok: false, problems: [{ path: "/registry_version", message: "does not fit the tools, so the stamp was changed by hand" }] };
}

/**
 * Returns how the tools of one toolset differ from the stamp, in short parts of a sentence. `all` is true if no further tools are allowed. The
 * registry may have further tools, because a tool stays registered after its last worker.
 */
export function toolDifferences(
  stamp: RegistryStamp,
  toolset: string,
  tools: readonly StampedTool[],
  { all }: { readonly all: boolean },
): readonly string[] {
  const stamped = Object.hasOwn(stamp.toolsets, toolset) ? (stamp.toolsets[toolset] ?? {}) : {};
  const own = new Map(tools.map((tool) => [idOf(tool), tool]));
  const high = new Set(stamp.hitl_tier_high);
  return [
    ...Object.keys(stamped).flatMap((id) => {
      const tool = own.get(id);
      if (tool === undefined) return [`${id} is missing`];
      if (tool.hash !== stamped[id]) return [`${id} has another definition`];
      if (highOf([tool]).length > 0 !== high.has(`${toolset}/${id}`)) return [`${id} has the tier ${tool.tier}, unlike hitl_tier_high`];
      return [];
    }),
    ...(all ? [...own.keys()].filter((id) => !Object.hasOwn(stamped, id)).map((id) => `${id} is not stamped`) : []),
  ];
}

/** Returns how the limits of an agent differ from the stamp, in short parts of a sentence. */
export function limitDifferences({ limits }: Pick<RegistryStamp, "limits">, own: StampedLimits): readonly string[] {
  const profiles = [...new Set([...Object.keys(limits.max_tool_rounds), ...Object.keys(own.max_tool_rounds)])].toSorted();
  const said = (value: number | undefined): string => (value === undefined ? "absent" : String(value));
  return [
    ...profiles.flatMap((profile) => {
      const [stamped, here] = [limits.max_tool_rounds[profile], own.max_tool_rounds[profile]];
      return stamped === here ? [] : [`max_tool_rounds of ${profile} is ${said(here)} here and ${said(stamped)} in the stamp`];
    }),
    ...(limits.parallel_read_max === own.parallel_read_max
      ? []
      : [`parallel_read_max is ${own.parallel_read_max} here and ${limits.parallel_read_max} in the stamp`]),
  ];
}

const parseStamp = jsonParser(RegistryStamp);

function idOf({ name, version }: Pick<StampedTool, "name" | "version">): string {
  return `${name}@${version}`;
}

function highOf(tools: readonly StampedTool[]): readonly string[] {
  return tools
    .filter(({ kind, tier }) => kind === "write" && (tier === "high" || tier === "critical"))
    .map((tool) => `${tool.toolset}/${idOf(tool)}`);
}
