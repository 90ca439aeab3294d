/** What one answer of a model may take before it is given up, whatever it would have become. The signal of the call bounds its time as a whole. */
export interface AnswerBounds {
  /** The whole answer as it is read, unpacked where it came packed. */
  readonly bytes: number;
  /** How many events it has; comments between them count. */
  readonly events: number;
  /** One event with its lines, or one frame. */
  readonly eventBytes: number;
  /** The arguments of all calls of the turn together. */
  readonly argumentBytes: number;
  /** The longest wait between two pieces, in milliseconds. Before the first one a model thinks, and only the signal ends the wait. */
  readonly silenceMs: number;
}

/**
 * Far above what an honest answer takes in the two minutes that a call has by default: at 100 tokens a second it is 12,000 events of about 400 bytes. What is
 * streamed is repeated whole in the last event of OpenAI's responses. A reasoning model may be silent for more than a minute after its first event.
 */
export const DEFAULT_BOUNDS: AnswerBounds = {
  bytes: 32 * 1024 * 1024,
  events: 200_000,
  eventBytes: 4 * 1024 * 1024,
  argumentBytes: 1024 * 1024,
  silenceMs: 90_000,
};
