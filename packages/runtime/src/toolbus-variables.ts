/** All our variables that begin with TOOLBUS_. All except TOOLBUS_ENVIRONMENT belong to the command line. */
export const TOOLBUS_VARIABLES = [
  "TOOLBUS_URL",
  "TOOLBUS_APPROVALS_URL",
  "TOOLBUS_KEY",
  "TOOLBUS_KEY_FILE",
  "TOOLBUS_APPROVER_KEY",
  "TOOLBUS_APPROVER_KEY_FILE",
  "TOOLBUS_HEALTH_URLS",
  // The command as the user typed it.
  "TOOLBUS_TYPED",
  // For services, the environment whose tool flags apply.
  "TOOLBUS_ENVIRONMENT",
] as const;
