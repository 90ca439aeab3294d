import { availabilityOf, failedResult, goneSince, type Registration, type ToolResult } from "@toolbus/contracts";

/**
 * The result of a call of a tool that the run does not have. `withheld` is the tool if it exists all the same: then the result says why nobody could use it
 * when the run began, and still cannot. A tool that can be used by now is one that only the next run has.
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
