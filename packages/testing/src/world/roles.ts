/** The services of a world. Each has one or more processes. */
export const ROLES = ["gateway", "agent", "worker", "approvals"] as const;
export type Role = (typeof ROLES)[number];
