import { type DeploymentParts, type ServiceRights, workerOf } from "@toolbus/contracts";

/** A deployment of every agent and every toolset, so that a page names no particular one. */
export const PARTS: DeploymentParts = { agents: ["<agent>"], toolsets: ["<toolset>"] };

/** The names of the services, separated by commas. */
export function namesOf(services: readonly ServiceRights[]): string {
  return services.map(({ service }) => (service === workerOf("<toolset>") ? "workers" : service)).join(", ");
}
