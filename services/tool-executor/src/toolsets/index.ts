import { GUIDES } from "@toolbus/contracts";
import { Refusal } from "@toolbus/runtime";
import type { Toolset } from "@toolbus/tool-kit";
import type { ExecutorConfig } from "../settings.ts";
import { releaseToolset } from "./release/release-toolset.ts";

/** Every toolset with tools that this image can serve, by name. */
const factories: Readonly<Record<string, (config: ExecutorConfig) => Toolset>> = {
  release: (config) => releaseToolset({ url: config.RELEASE_API_URL }),
};

/** The toolset without tools, which handles dead letters. */
export const OPERATIONS = "operations";
/** The toolset with the tools of MCP servers. */
const MCP = "mcp";

/** The toolsets that `TOOLSETS` names. */
export interface Served {
  readonly toolsets: readonly Toolset[];
  readonly operations: boolean;
  readonly mcp: boolean;
  /** Whether the process serves the guides of all toolsets, which are in the store. */
  readonly guides: boolean;
}

/** Returns the toolsets that this process serves. For an unknown name, throws a `Refusal` that lists the known toolsets. */
export function servedBy(config: ExecutorConfig): Served {
  const names = toolsetNames(config.TOOLSETS);
  if (names.length === 0) throw new Refusal(`TOOLSETS names no toolset. Known: ${known()}.`);
  const toolsets = names
    .filter((name) => name !== OPERATIONS && name !== MCP && name !== GUIDES)
    .map((name) => {
      const factory = Object.hasOwn(factories, name) ? factories[name] : undefined;
      if (!factory) throw new Refusal(`TOOLSETS names "${name.slice(0, 64)}", which is not a toolset. Known: ${known()}.`);
      return factory(config);
    });
  return { toolsets, operations: names.includes(OPERATIONS), mcp: names.includes(MCP), guides: names.includes(GUIDES) };
}

/** Returns the names in `TOOLSETS`, each of them once. */
export function toolsetNames(setting: string): readonly string[] {
  const names = setting.split(",").map((name) => name.trim());
  return [...new Set(names.filter(Boolean))];
}

function known(): string {
  return [...Object.keys(factories), GUIDES, MCP, OPERATIONS].join(", ");
}
