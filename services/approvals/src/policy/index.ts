// The judgement of policies without a running service, for the command line.
export { diffPolicies, type PolicyChange } from "./diff-policies.ts";
export { judgePolicy, type PolicyJudgement } from "./judge-policy.ts";
export { type Policy, policyOf } from "./policy.ts";
export { readPolicy } from "./read-policy.ts";
