import { httpSettings, integer, loopTimings, milliseconds, perMinute, port, type SettingsOf, str } from "@toolbus/runtime";

export const gatewaySettings = {
  ...loopTimings,
  ...httpSettings,
  GATEWAY_HOST: str({ default: "127.0.0.1", desc: "the address to listen on; loopback by default" }),
  GATEWAY_PORT: port({ default: 8080, desc: "the port to listen on; 0 takes a free one" }),
  GATEWAY_API_KEYS_FILE: str({ default: ".toolbus/keys/gateway-api-keys.json", desc: "the file of API keys, as SHA-256 hashes" }),
  GATEWAY_KEY_FILE: str({ default: "", desc: 'the key that signs who asked for a run; the same on all replicas; "toolbus keys" makes it' }),
  AGENT_NAME: str({ default: "default", desc: "the agent that gets the runs accepted here" }),
  ORIGIN_OPEN_MS: milliseconds({ default: 48 * 3_600_000, desc: "how long writes of an accepted run may be granted" }),
  WAKE_REPEAT_MS: milliseconds({
    default: 5000,
    desc: "how long the gateway waits before it announces again an accepted message that no agent has taken",
  }),
  SSE_PING_MS: milliseconds({ default: 15_000, desc: "how often a stream gets a comment line, and how long a reader may stall" }),
  SSE_BUFFER_BYTES: integer({ min: 16_384, max: 67_108_864 })({
    default: 262_144,
    desc: "how many bytes a reader may be behind before its connection is dropped",
  }),
  STREAM_TICKET_MS: milliseconds({ default: 3_600_000, desc: "how long a browser's ticket for the stream of a run is valid" }),
  SSE_PER_PRINCIPAL: integer({ min: 1, max: 100_000 })({ default: 10, desc: "open streams per principal" }),
  RUNS_PER_PRINCIPAL: integer({ min: 0, max: 1000 })({ default: 200, desc: "active runs of a principal at the same time; 0 for no limit" }),
  RUNS_PER_MINUTE: perMinute({ default: 60, desc: "messages and investigations per principal and minute; 0 for no limit" }),
  MCP_WAIT_MS: integer({ min: 1, max: 100_000 })({
    default: 25_000,
    desc: "how long a request of an MCP client waits for the result of its call, in milliseconds",
  }),
  MCP_HOSTS: str({
    default: "",
    desc: "the hosts by which MCP clients may address this gateway, separated by commas; empty: those of this machine for a loopback address, else all",
  }),
  CONVERSATIONS_PER_MINUTE: perMinute({ default: 60, desc: "new conversations per principal and minute; 0 for no limit" }),
  ACTIONS_PER_MINUTE: perMinute({
    default: 60,
    desc: "cancels, answers, replays, webhooks sent again and stream tickets per principal and minute; 0 for no limit",
  }),
} as const;

export type GatewayConfig = SettingsOf<typeof gatewaySettings>;

/** The name of this service's timers and outbox. */
export const GATEWAY_SERVICE = "gateway";
