import { type DeploymentParts, type ServiceRights, workerOf } from "@toolbus/contracts";

/** A deployment with placeholders instead of the names of agents and toolsets, so that a page names no particular one. */
export const PARTS: DeploymentParts = { agents: ["<agent>"], toolsets: ["<toolset>"] };

/** Returns the names of the services, separated by commas. */
export function namesOf(services: readonly ServiceRights[]): string {
  return services.map(({ service }) => (service === workerOf("<toolset>") ? "workers" : service)).join(", ");
}
