/** The kinds of security events that approvals records. */
export const APPROVALS_SECURITY_KINDS = [
  "document_refused",
  "message_refused",
  "conflicting_request",
  "self_approval",
  "not_allowed",
  "unknown_token",
  "token_reused",
] as const;
export type ApprovalsSecurityKind = (typeof APPROVALS_SECURITY_KINDS)[number];

/**
 * The kinds of security events that a worker records. A worker also records the reason why it refused a grant, which approvals shows as
 * `grant_refused`.
 */
export const WORKER_SECURITY_KINDS = ["conflict", "ledger_forged", "ledger_row_gone", "era_forged"] as const;
export type WorkerSecurityKind = (typeof WORKER_SECURITY_KINDS)[number];

/** The kinds of security events that an agent records. */
export const AGENT_SECURITY_KINDS = [
  "ledger_unsigned",
  "ledger_forged",
  "ledger_unknown_key",
  "answer_unsigned",
  "answer_forged",
  "answer_unknown_key",
  "decision_unsigned",
  "decision_forged",
  "decision_unknown_key",
  "era_unsigned",
  "era_forged",
  "era_unknown_key",
] as const;
export type AgentSecurityKind = (typeof AGENT_SECURITY_KINDS)[number];

/** Every kind of security event that `GET /v1/security` of approvals lists. docs/approvals.md has a row for each. */
export const SECURITY_KINDS: ReadonlySet<string> = new Set([
  ...APPROVALS_SECURITY_KINDS,
  ...WORKER_SECURITY_KINDS,
  ...AGENT_SECURITY_KINDS,
  "grant_refused",
]);
