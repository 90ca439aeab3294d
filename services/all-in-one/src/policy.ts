// The command line reads and judges policy files without a running service. It imports them from here, because it reaches into no service.
export {
  diffPolicies,
  judgePolicy,
  type Policy,
  type PolicyChange,
  type PolicyJudgement,
  policyOf,
  readPolicy,
} from "@toolbus/approvals/policy";
