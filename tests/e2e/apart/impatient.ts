/** Short times for services in separate processes, so that a test sees the recovery from a death or a lost message. */
export const IMPATIENT = {
  RUN_LEASE_MS: "3000",
  RUN_RENEW_MS: "1000",
  LEDGER_LEASE_MS: "3000",
  LEDGER_RENEW_MS: "1000",
  REDISPATCH_MS: "2000",
  OUTBOX_VISIBILITY_MS: "1500",
  WAKE_REPEAT_MS: "1500",
} as const;
