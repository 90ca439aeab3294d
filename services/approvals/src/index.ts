export { type ApprovalsCore, type ApprovalsKeys, startApprovalsCore } from "./approvals-core.ts";
export { approvals, type ApprovalsService } from "./service.ts";
export { type ApprovalsConfig, approvalsSettings } from "./settings.ts";
