/**
 * Short times for services in separate processes, so that a test does not wait long until the services recover from a killed process or a lost
 * message.
 */
export const IMPATIENT = {
  RUN_LEASE_MS: "3000",
  RUN_RENEW_MS: "1000",
  LEDGER_LEASE_MS: "3000",
  LEDGER_RENEW_MS: "1000",
  REDISPATCH_MS: "2000",
  OUTBOX_VISIBILITY_MS: "1500",
  WAKE_REPEAT_MS: "1500",
} as const;
