/** The time limits and intervals of a bus on NATS, in milliseconds. */
export interface NatsTimings {
  /** How long the server waits for an answer before it delivers the message to another consumer. */
  readonly ackWaitMs: number;
  /**
   * The interval at which the server is notified that a handler is still at work. It is less than half of `ackWaitMs`, to allow for slow transport.
   */
  readonly workingMs: number;
  /**
   * The interval of the heartbeats by which the server shows that it still knows a request for messages. The server refuses a request that is open for
   * less than two intervals.
   */
  readonly heartbeatMs: number;
  /**
   * How long a request for messages stays open. The server gives messages to the requests of a process that is frozen, or whose machine is gone, because
   * its connection is still open. So a request ends before the server takes the first message of such a process back, and this message goes to
   * another process. The server takes a message back at the earliest after `ackWaitMs` less `workingMs`.
   */
  readonly pullMs: number;
  /** How long a published message waits for its confirm, and any other request for its answer. */
  readonly confirmMs: number;
  /** The interval of pings on a quiet connection. Two pings without an answer end the connection. */
  readonly pingMs: number;
  /** How long one attempt to connect may take. */
  readonly dialMs: number;
  /** The pause between two attempts to connect. A random time of up to the same length is added. */
  readonly redialMs: number;
}

export const DEFAULT_TIMINGS: Omit<NatsTimings, "confirmMs"> = {
  ackWaitMs: 5000,
  workingMs: 1500,
  heartbeatMs: 1500,
  pullMs: 3000,
  pingMs: 10_000,
  dialMs: 5000,
  redialMs: 250,
};
