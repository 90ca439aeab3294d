import { CONTEXT_STRATEGIES } from "@toolbus/contracts";
import {
  integer,
  loopTimings,
  milliseconds,
  type SettingsOf,
  stampSettings,
  str,
  toolFlagSettings,
  webhookSettings,
} from "@toolbus/runtime";
import { budgetSettings } from "./budget/budget-settings.ts";
import { modelSettings } from "./model-settings.ts";

export const agentSettings = {
  ...loopTimings,
  ...toolFlagSettings,
  ...stampSettings,
  ...modelSettings,
  ...budgetSettings,
  ...webhookSettings,
  AGENT_NAME: str({ default: "default", desc: "names the agent's reply topics, e.g. tool.result.default" }),
  AGENT_KEY_FILE: str({
    default: "",
    desc: 'the key that the agent signs its cancel messages with; the same on all replicas; "toolbus keys" makes it',
  }),
  PROFILES_DIR: str({ default: "", desc: "a directory of profiles, *.yaml, that add to the built-in ones or replace them by name" }),
  AGENT_CONCURRENCY: integer({ min: 1, max: 1024 })({ default: 32, desc: "how many runs this process advances at the same time" }),
  DEAD_LETTERS_PER_MINUTE: integer({ min: 1, max: 1_000_000 })({
    default: 30,
    desc: "how many unusable messages per queue and minute become dead letters; of the others, only the number is logged",
  }),
  SECURITY_EVENTS_PER_MINUTE: integer({ min: 1, max: 10_000 })({
    default: 30,
    desc: "how many security events per reason and minute are stored in full; of the others, only the number is stored",
  }),
  SERVER_SUMMARIES: str({
    default: "descriptions",
    choices: ["descriptions", "model"],
    desc: "what the search for MCP servers uses: their descriptions, or also words that the agent's model writes about the enabled ones",
  }),
  SERVER_SUMMARIES_PER_HOUR: integer({ min: 1, max: 10_000 })({
    default: 20,
    desc: "how many summaries this process asks its model for in an hour",
  }),
  TOOLS_DISABLED: str({ default: "", desc: "tools that new runs do not get, by name or name@version, separated by commas" }),
  RUN_LEASE_MS: milliseconds({ default: 10_000, desc: "how long a run belongs to the process that advances it" }),
  RUN_RENEW_MS: milliseconds({ default: 3000, desc: "how often the process renews its lease on a run during a model call" }),
  MODEL_TIMEOUT_MS: milliseconds({ default: 120_000, desc: "the longest model call" }),
  MODEL_ATTEMPTS: integer({ min: 1, max: 10 })({ default: 3, desc: "model calls of one round, if the earlier ones failed temporarily" }),
  MODEL_RETRY_MS: milliseconds({
    default: 1000,
    desc: "the longest wait after the first failed model call; it doubles after each further failure",
  }),
  MODEL_RETRY_MAX_MS: milliseconds({
    default: 60_000,
    desc: "the longest wait between two model calls, unless the provider asks for a longer one",
  }),
  MODEL_RETRY_AFTER_MAX_MS: milliseconds({
    default: 300_000,
    desc: "how long a run waits when its provider asks for it (retry-after); a longer wait ends the run",
  }),
  REDISPATCH_MS: milliseconds({
    default: 20_000,
    desc: "how long the agent waits before it sends an unanswered call again; this wait doubles each time",
  }),
  REDISPATCH_MAX_MS: milliseconds({ default: 300_000, desc: "the longest wait before the agent sends an unanswered call again" }),
  CALL_NOT_AFTER_MS: milliseconds({ default: 900_000, desc: "how long after its first dispatch a call may still begin" }),
  LEDGER_LEASE_MS: milliseconds({ default: 10_000, desc: "how long a worker's lease on a write lasts" }),
  HELD_CHECK_MS: milliseconds({ default: 300_000, desc: "how often the agent asks approvals about a held write" }),
  ASK_EXPIRY_MS: milliseconds({ default: 86_400_000, desc: "how long a question to the person waits for its answer" }),
  CONTEXT_STRATEGY: str({
    default: "truncation",
    choices: [...CONTEXT_STRATEGIES],
    desc: "how the agent shortens a conversation that is too long for its model, if the profile does not say",
  }),
  TRANSCRIPT_MAX_CHARS: integer({ min: 1000, max: 100_000_000 })({
    default: 4_000_000,
    desc: "how many characters of one transcript the agent keeps in memory for its model; it leaves out the oldest part of a longer one",
  }),
  WORKING_MEMORY_TTL_MS: milliseconds({
    default: 1_200_000,
    desc: "how long working memory keeps a tool's result that is too long for the model",
  }),
  FOLLOW_OUTCOME_MS: milliseconds({
    default: 86_400_000,
    desc: "how long the agent looks in a worker's ledger for the outcome of a write that ended as outcome_unknown",
  }),
  FINISHED_RUN_MS: milliseconds({ default: 7 * 86_400_000, desc: "how long a finished run is kept" }),
} as const;

export type AgentConfig = SettingsOf<typeof agentSettings>;
