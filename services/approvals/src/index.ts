export { type ApprovalsCore, startApprovalsCore } from "./approvals-core.ts";
export { approvals, type ApprovalsService } from "./service.ts";
export { type ApprovalsConfig, approvalsSettings } from "./settings.ts";
