import { httpAddress, integer, milliseconds, type SettingsOf, stampSettings, str, toolFlagSettings } from "@toolbus/runtime";
import { GOLDEN_MODES, MAX_CONTENT_BYTES } from "@toolbus/tool-kit";

/** Whether calls may register MCP servers, and how these run. */
export const REGISTER_MODES = ["off", "sandboxed", "unsandboxed"] as const;

export const executorSettings = {
  ...toolFlagSettings,
  ...stampSettings,
  TOOLSETS: str({ default: "release", desc: "the toolsets that this process serves, separated by commas" }),
  DEAD_LETTERS_KEPT_MS: milliseconds({ default: 30 * 86_400_000, desc: "how long operations keeps a dead letter" }),
  RELEASE_API_URL: httpAddress({ default: "http://127.0.0.1:4010", desc: "the release API that the toolset release calls" }),
  MCP_CONFIG_FILE: str({ default: "", desc: "the file of MCP servers (mcp.json) whose tools the toolset mcp serves" }),
  MCP_REGISTER_SERVERS: str({
    default: "off",
    choices: [...REGISTER_MODES],
    desc: "whether approved calls may add MCP servers: off, sandboxed (each runs in a sandbox without network) or unsandboxed",
  }),
  KNOWN_SERVICES_FILE: str({ default: "", desc: "the file of services that search_known_services also covers; read at each search" }),
  RECEIPT_KEY_FILE: str({
    default: "",
    desc: "the key that its toolsets sign receipts of writes with; the same on all replicas of these toolsets",
  }),
  GOLDEN_CALLS: str({
    default: "off",
    choices: [...GOLDEN_MODES],
    desc: "whether a worker calls its tools with their examples before it takes calls: off, warn (only logs failures) or required (waits until they pass)",
  }),
  TOOL_LIMITS: str({
    default: "",
    desc: "limits of tools and dependencies, such as get_release_summary.callsPerMinute=60,*.argumentBytes=4096,release-api.concurrent=4",
  }),
  WORKER_CONCURRENCY: integer({ min: 1, max: 1024 })({ default: 16, desc: "how many calls of each toolset run at the same time" }),
  TOOL_RESULT_MAX_BYTES: integer({ min: 1024, max: 16_777_216 })({
    default: MAX_CONTENT_BYTES,
    desc: "the longest result of a tool, in bytes of UTF-8; a longer one is truncated with a notice",
  }),
  DEAD_LETTERS_PER_MINUTE: integer({ min: 1, max: 1_000_000 })({
    default: 30,
    desc: "how many unusable messages per queue and minute become dead letters; of the others, only the number is logged",
  }),
  SECURITY_EVENTS_PER_MINUTE: integer({ min: 1, max: 10_000 })({
    default: 30,
    desc: "how many security events per reason and minute are stored in full; of the others, only the number is stored",
  }),
  LEDGER_LEASE_MS: milliseconds({ default: 10_000, desc: "how long a worker's lease on a write lasts" }),
  LEDGER_RENEW_MS: milliseconds({ default: 3000, desc: "how often a worker renews its lease on a write while the write runs" }),
} as const;

export type ExecutorConfig = SettingsOf<typeof executorSettings>;
