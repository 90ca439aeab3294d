import { availabilityOf, failedResult, goneSince, type Registration, type ToolResult } from "@toolbus/contracts";

/**
 * Returns the result of a call to a tool that the run does not have. `withheld` is the tool if it exists. If nobody can use that tool now, the result
 * says why. If the tool can be used by now, only the next run can call it. The result then says that this run does not have the tool.
 */
export function missingTool(
  name: string,
  withheld: Registration | undefined,
  tools: ReadonlyMap<string, Registration>,
  now: number,
): ToolResult {
  return (withheld && unusable(withheld, now)) ?? unknown(name, tools);
}

function unusable(registration: Registration, now: number): ToolResult | null {
  const { definition, toolset, unavailable } = registration;
  const { name } = definition;
  const since = goneSince(registration, now);
  if (since !== null && !registration.scalesToZero)
    return failedResult(
      "no_worker",
      `"${name}" cannot be used: no worker of "${toolset}" has been alive since ${new Date(since).toISOString()}.`,
    );
  if (availabilityOf(registration, now) !== "unavailable") return null;
  return failedResult("unavailable", `"${name}" cannot be used now: ${unavailable?.reason ?? "its worker does not say why."}`);
}

function unknown(name: string, tools: ReadonlyMap<string, Registration>): ToolResult {
  const known = [...tools.keys()].toSorted().join(", ");
  return failedResult("tool_not_found", `There is no tool "${name.slice(0, 64)}" here. Tools of this run: ${known || "none"}.`);
}
