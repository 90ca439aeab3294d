import type { Role } from "@toolbus/contracts";

/** Who may use the routes of runs and conversations; what each caller may see is decided case by case. */
export const CALLERS: readonly Role[] = ["user", "operator"];
