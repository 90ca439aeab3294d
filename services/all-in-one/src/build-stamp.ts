import { agentLimits, loadProfiles } from "@toolbus/agent";
import { type RegistryStamp, type StampedLimits, stampOf } from "@toolbus/contracts";
import { Refusal } from "@toolbus/runtime";
import { SHIPPED_TOOLSETS, shippedTools } from "@toolbus/tool-executor";

/**
 * Returns the registry stamp of this build with these toolsets. No server is contacted. `profilesDirectory` is the agents' `PROFILES_DIR`. Throws a
 * `Refusal` for a toolset whose definitions are not part of this build.
 */
export async function stampOfBuild(toolsets: readonly string[], profilesDirectory: string): Promise<RegistryStamp> {
  const tools = [...new Set(toolsets)].flatMap((name) => {
    const shipped = shippedTools(name);
    if (shipped) return shipped;
    throw new Refusal(
      `The toolset "${name}" is not part of this build, which has ${SHIPPED_TOOLSETS.join(" and ")}: use --running where its worker runs.`,
    );
  });
  return stampOf(tools, await limitsOfBuild(profilesDirectory));
}

/** Returns the limits of this build's agent with the profiles of a directory. */
export async function limitsOfBuild(profilesDirectory: string): Promise<StampedLimits> {
  return agentLimits(await loadProfiles(profilesDirectory));
}
