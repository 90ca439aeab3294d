export { approvals, type ApprovalsService } from "./service.ts";
