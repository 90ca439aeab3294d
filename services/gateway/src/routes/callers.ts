import type { Role } from "@toolbus/contracts";

/** The roles that may use the routes of runs and conversations. Each route decides what a caller may see. */
export const CALLERS: readonly Role[] = ["user", "operator"];
