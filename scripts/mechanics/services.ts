import { type DeploymentParts, MCP_TOOLSET, type ServiceRights, workerOf } from "@toolbus/contracts";

/** A deployment with placeholders instead of the names of agents and toolsets, so that a page names no particular one. */
export const PARTS: DeploymentParts = { agents: ["<agent>"], toolsets: ["<toolset>"] };

/** Returns the names of the services, separated by commas. */
export function namesOf(services: readonly ServiceRights[]): string {
  return services.map(({ service }) => SHOWN.get(service) ?? service).join(", ");
}

const SHOWN: ReadonlyMap<string, string> = new Map([
  [workerOf("<toolset>"), "workers"],
  [workerOf(MCP_TOOLSET), "MCP bridge"],
]);
