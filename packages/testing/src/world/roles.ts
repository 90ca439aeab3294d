/** The services of a world, each of which has processes. */
export const ROLES = ["gateway", "agent", "worker", "approvals"] as const;
export type Role = (typeof ROLES)[number];
