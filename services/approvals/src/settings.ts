import { HITL_MODES, LONGEST_WAIT_MS } from "@toolbus/contracts";
import {
  httpAddress,
  httpSettings,
  integer,
  loopTimings,
  milliseconds,
  perMinute,
  port,
  type SettingsOf,
  str,
  webhookSettings,
} from "@toolbus/runtime";

export const approvalsSettings = {
  ...loopTimings,
  ...httpSettings,
  ...webhookSettings,
  APPROVALS_HOST: str({
    default: "127.0.0.1",
    desc: "the address that approvers reach; in production, use another address than the gateway's",
  }),
  APPROVALS_PORT: port({ default: 8081, desc: "the port that approvers reach; 0 takes a free one" }),
  APPROVALS_PUBLIC_URL: httpAddress({
    default: "",
    desc: "the address at which people open the approval page, such as https://approvals.example.com; webhooks link to it; empty: no links",
  }),
  APPROVALS_PAGE_OVER_HTTP: str({
    default: "false",
    choices: ["true", "false"],
    desc: "true lets people sign in on the approval page over plain HTTP from other machines; anybody in between can then read their keys",
  }),
  APPROVALS_OIDC_FILE: str({
    default: "",
    desc: "a file of mode 0600 with the OIDC provider at which people sign in on the approval page, and the rights of its groups; empty: none",
  }),
  APPROVALS_PAGE_KEY_SIGN_IN: str({
    default: "true",
    choices: ["true", "false"],
    desc: "false lets nobody sign in on the approval page with an API key; needs APPROVALS_OIDC_FILE",
  }),
  APPROVALS_API_KEYS_FILE: str({
    default: ".toolbus/approvals-api-keys.json",
    desc: "the file of approvers' API keys, as hashes; never the gateway's",
  }),
  APPROVALS_KEY_FILE: str({
    default: ".toolbus/keys/approvals.json",
    desc: "the key that signs grants, pins and the era; the same on all replicas",
  }),
  APPROVALS_SEAL_KEYS_FILE: str({
    default: "",
    desc: "the secrets that approvals seals its documents with; the same on all replicas; a backup of the store is useless without them",
  }),
  APPROVALS_JWKS_FILE: str({ default: "", desc: "a file to write the public keys to, for workers on this machine; empty: none" }),
  DECISION_HOOKS_FILE: str({
    default: "",
    desc: "a file of mode 0600 with the systems that may decide by a signed webhook, and for whom; empty: none may",
  }),
  APPROVAL_POLICY_FILE: str({
    default: "",
    desc: "the policy, as YAML: it raises tiers, names approvers and sets times; read again when it changes; empty: the tier alone decides",
  }),
  HITL_MODE: str({ default: "auto", choices: [...HITL_MODES], desc: "required: every write needs a person; auto: its tier decides" }),
  WRITE_TOOLS: str({
    default: "",
    desc: "tools (issue_refund), toolsets (toolset:orders) and sources (source:mcp:crm) whose writes always need a person, separated by commas",
  }),
  APPROVAL_EXPIRY_MS: integer({ min: 1, max: LONGEST_WAIT_MS })({
    default: 15 * 60_000,
    desc: "how long people have to decide, if the policy does not say",
  }),
  APPROVAL_REMINDER_PERCENT: integer({ min: 0, max: 99 })({
    default: 50,
    desc: "the part of the time to decide, in percent, after which a webhook reminds of an approval that still waits; 0: never",
  }),
  EXECUTE_BY_MS: milliseconds({ default: 24 * 3_600_000, desc: "how long after its approval a write may get a fresh grant" }),
  GRANT_TTL_MS: milliseconds({ default: 15 * 60_000, desc: "how long a signed grant is valid" }),
  DECISIONS_PER_MINUTE: perMinute({ default: 10, desc: "decisions per approver and minute; 0 for no limit" }),
  RESUME_WRITES_AFTER_MS: integer({ min: 0, max: 31 * 86_400_000 })({
    default: 0,
    desc: "how long after the store lost writes the waiting writes resume automatically; 0: only an operator resumes them",
  }),
  AUTO_GRANTS_PER_RUN: integer({ min: 0, max: 10_000 })({
    default: 64,
    desc: "writes of one tool that policy alone grants under one origin",
  }),
  TOOLS_ENABLED_FILE: str({
    default: "",
    desc: "a file with a list of {tool, toolset, hash}; only these definitions are enabled when they register; empty: operators enable each",
  }),
  AUTO_GRANTS_PER_HOUR: integer({ min: 0, max: 1_000_000 })({
    default: 1000,
    desc: "writes of one tool that policy alone grants to one requester within an hour, over all runs; 0 for no limit",
  }),
  PENDING_PER_REQUESTER: integer({ min: 0, max: 500 })({
    default: 100,
    desc: "how many writes of one requester may wait for people at a time, over all runs; more are refused; 0 for no limit",
  }),
  DEAD_LETTERS_PER_MINUTE: integer({ min: 1, max: 1_000_000 })({
    default: 30,
    desc: "how many unusable messages per queue and minute become dead letters; of the others, only the number is logged",
  }),
  SECURITY_EVENTS_PER_MINUTE: integer({ min: 1, max: 10_000 })({
    default: 30,
    desc: "how many security events per kind and minute are stored in full; of the others, only the number is stored",
  }),
  PIN_ON_FIRST_SIGHT: str({
    default: "false",
    choices: ["true", "false"],
    desc: "true pins writes when they register; only for the embedded form",
  }),
} as const;

export type ApprovalsConfig = SettingsOf<typeof approvalsSettings>;

/** The name of this service's timers and outbox. */
export const APPROVALS_SERVICE = "approvals";

/** How long approvals keeps a finished approval. No message of its call exists for longer. */
export const FINISHED_KEPT_MS = 30 * 86_400_000;
