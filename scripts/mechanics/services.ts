import { type DeploymentParts, type ServiceRights, workerOf } from "@toolbus/contracts";

/** A deployment of every agent and every toolset, so that a page names none of them. */
export const PARTS: DeploymentParts = { agents: ["<agent>"], toolsets: ["<toolset>"] };

/** The services in words. */
export function namesOf(services: readonly ServiceRights[]): string {
  return services.map(({ service }) => (service === workerOf("<toolset>") ? "workers" : service)).join(", ");
}
