import { GUIDES, type StampedTool } from "@toolbus/contracts";
import { publicKeys } from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { stampedTool, type Toolset } from "@toolbus/tool-kit";
import { guidesToolset } from "./guides/guides-toolset.ts";
import { releaseToolset } from "./release/release-toolset.ts";

/** The toolsets whose definitions are known without a target and without a running system. */
const SHIPPED: Readonly<Record<string, () => Toolset>> = {
  release: () => releaseToolset({ url: "http://127.0.0.1:9" }),
  [GUIDES]: () => guidesToolset({ state: memoryStore({ clock: () => 0 }), gatewayKeys: publicKeys([]), log: silentLog }),
};

export const SHIPPED_TOOLSETS: readonly string[] = Object.keys(SHIPPED);

/** Returns a toolset of this build whose targets do not exist, or null if the toolset's definitions are not part of this build. */
export function shippedToolset(name: string): Toolset | null {
  return (Object.hasOwn(SHIPPED, name) ? SHIPPED[name] : undefined)?.() ?? null;
}

/** Returns the tools of a toolset of this build as a registry stamp sees them, or null if the toolset's definitions are not part of this build. */
export function shippedTools(name: string): readonly StampedTool[] | null {
  return (
    shippedToolset(name)
      ?.list()
      .map((executor) => stampedTool(name, executor)) ?? null
  );
}
