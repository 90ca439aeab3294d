/**
 * The attributes of a message. They contain everything except the body (CloudEvents binary mode). Their names are visible on the wire, and they are
 * headers on AMQP and NATS. `id`, `type`, `source`, `time`, the correlation id and the reply topic are fields of the message itself. Each broker has
 * its own places for them.
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
  /** The sender of the message and its signature. A message has both if only one service, or only our services, may send it. */
  sender: "toolbus-sender",
  signature: "toolbus-signature",
  traceparent: "traceparent",
  tracestate: "tracestate",
  baggage: "baggage",
} as const;

export const CLOUDEVENTS_VERSION = "1.0";

/** The largest body of a message, in bytes. A larger body is stored as a blob, and the message contains only a reference to it. */
export const MAX_BODY_BYTES = 256 * 1024;
