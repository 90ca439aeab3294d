export { approvals, type ApprovalsService } from "./service.ts";
export type { ApprovalView, Right } from "./view.ts";
