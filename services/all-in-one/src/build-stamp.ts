import { agentLimits, loadProfiles } from "@toolbus/agent";
import { GUIDES, type RegistryStamp, type StampedLimits, type StampedTool, stampOf } from "@toolbus/contracts";
import { publicKeys } from "@toolbus/grants";
import { Refusal } from "@toolbus/runtime";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { guidesToolset, releaseToolset } from "@toolbus/tool-executor";
import { stampedTool, type Toolset } from "@toolbus/tool-kit";

/** The toolsets of this build whose definitions are known without a running system. */
const SHIPPED: Readonly<Record<string, () => Toolset>> = {
  release: () => releaseToolset({ url: "http://127.0.0.1:9" }),
  [GUIDES]: () => guidesToolset({ state: memoryStore({ clock: () => 0 }), gatewayKeys: publicKeys([]), log: silentLog }),
};

/**
 * Returns the registry stamp of this build with these toolsets. No server is contacted. `profilesDirectory` is the agents' `PROFILES_DIR`. Throws a
 * `Refusal` for a toolset whose definitions are not part of this build.
 */
export async function stampOfBuild(toolsets: readonly string[], profilesDirectory: string): Promise<RegistryStamp> {
  const tools = [...new Set(toolsets)].flatMap((name): readonly StampedTool[] => {
    const make = Object.hasOwn(SHIPPED, name) ? SHIPPED[name] : undefined;
    if (!make)
      throw new Refusal(
        `The toolset "${name}" is not part of this build, which has ${Object.keys(SHIPPED).join(" and ")}: use --running where its worker runs.`,
      );
    return make()
      .list()
      .map((executor) => stampedTool(name, executor));
  });
  return stampOf(tools, await limitsOfBuild(profilesDirectory));
}

/** Returns the limits of this build's agent with the profiles of a directory. */
export async function limitsOfBuild(profilesDirectory: string): Promise<StampedLimits> {
  return agentLimits(await loadProfiles(profilesDirectory));
}
