/** Every variable of ours that begins with TOOLBUS_. All except TOOLBUS_ENVIRONMENT belong to the command line. */
export const TOOLBUS_VARIABLES = [
  "TOOLBUS_URL",
  "TOOLBUS_APPROVALS_URL",
  "TOOLBUS_KEY",
  "TOOLBUS_KEY_FILE",
  "TOOLBUS_APPROVER_KEY",
  "TOOLBUS_APPROVER_KEY_FILE",
  "TOOLBUS_HEALTH_URLS",
  // How the command line was invoked.
  "TOOLBUS_TYPED",
  // For services: which flags of tools apply.
  "TOOLBUS_ENVIRONMENT",
] as const;
