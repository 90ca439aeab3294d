import type { Role } from "@toolbus/contracts";

/** Who may use what a run or a conversation is reached by; what each of them may see is judged case by case. */
export const CALLERS: readonly Role[] = ["user", "operator"];
