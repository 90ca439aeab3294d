export { type ApprovalsKeys, startApprovalsCore } from "./approvals-core.ts";
export { approvals } from "./service.ts";
export { type ApprovalsConfig, approvalsSettings } from "./settings.ts";
export { approvalTransitions } from "./transition-table.ts";
