import { LOOP_TOOL_NAMES, SHIPPED_TOOLSETS, shippedTools } from "@toolbus/all-in-one";

/** Returns the names of the tools of this build. They need no definition in a suite. */
export function toolsOfThisBuild(): ReadonlySet<string> {
  return new Set([...LOOP_TOOL_NAMES, ...SHIPPED_TOOLSETS.flatMap((name) => shippedTools(name) ?? []).map(({ name }) => name)]);
}
