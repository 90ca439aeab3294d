/** How long things may take, in milliseconds. */
export interface NatsTimings {
  /** How long the server waits for an answer before it delivers to another. */
  readonly ackWaitMs: number;
  /** How often the server is notified that a handler is still at work; less than half of that time. The rest allows for slow transport. */
  readonly workingMs: number;
  /** How often the server shows that it still knows an open request for messages. */
  readonly heartbeatMs: number;
  /** How long a request for messages stays open. */
  readonly pullMs: number;
  /** How long a message that is published waits for its confirmation, and a request of another kind for its answer. */
  readonly confirmMs: number;
  /** How often a quiet connection is tried; two tries without an answer end it. */
  readonly pingMs: number;
  /** How long one try to connect may take. */
  readonly dialMs: number;
  /** How long to wait between two tries to connect; up to as much again is added at random. */
  readonly redialMs: number;
}

export const DEFAULT_TIMINGS: Omit<NatsTimings, "confirmMs"> = {
  ackWaitMs: 5000,
  workingMs: 1500,
  heartbeatMs: 2000,
  pullMs: 30_000,
  pingMs: 10_000,
  dialMs: 5000,
  redialMs: 250,
};
