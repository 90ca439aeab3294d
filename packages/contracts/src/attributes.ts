/**
 * Attributes of a message: everything but the body (CloudEvents binary mode). The names are wire-visible; on AMQP and NATS they are headers.
 * `id`, `type`, `source`, `time`, correlation and reply topic are fields of the message itself and have their own places on each broker.
 */
export const attributes = {
  notAfter: "toolbus-not-after",
  dispatch: "toolbus-dispatch",
  toolVersion: "toolbus-tool-version",
  toolHash: "toolbus-tool-hash",
  era: "toolbus-era",
  commit: "toolbus-commit",
  grant: "toolbus-grant",
  callSecret: "toolbus-call-secret",
  secretHash: "toolbus-secret-hash",
  agent: "toolbus-agent",
  entry: "toolbus-entry",
  mcpServer: "toolbus-mcp-server",
  mcpServerAlias: "rb-mcp-server",
  errorClass: "toolbus-error-class",
  errorDetails: "toolbus-error-details",
  resultMetadata: "toolbus-result-metadata",
  receipt: "toolbus-receipt",
  blob: "toolbus-blob",
  replayOf: "toolbus-replay-of",
  /** Who signed the message, and how, if only one service, or only our services, may send it. */
  sender: "toolbus-sender",
  signature: "toolbus-signature",
  traceparent: "traceparent",
  tracestate: "tracestate",
  baggage: "baggage",
} as const;

export const CLOUDEVENTS_VERSION = "1.0";

/** The largest body of a message, in bytes; anything larger travels by reference. */
export const MAX_BODY_BYTES = 256 * 1024;
