/** Every variable of ours that begins with TOOLBUS_: nothing else of ours does. All but TOOLBUS_ENVIRONMENT are the command line's. */
export const TOOLBUS_VARIABLES = [
  "TOOLBUS_URL",
  "TOOLBUS_APPROVALS_URL",
  "TOOLBUS_KEY",
  "TOOLBUS_KEY_FILE",
  "TOOLBUS_APPROVER_KEY",
  "TOOLBUS_APPROVER_KEY_FILE",
  "TOOLBUS_HEALTH_URLS",
  // How the command line was called.
  "TOOLBUS_TYPED",
  // Of services: which flags of tools hold.
  "TOOLBUS_ENVIRONMENT",
] as const;
