/** The limits of one model answer; beyond them it is given up, whatever it would have become. The signal of the call limits its time as a whole. */
export interface AnswerBounds {
  /** The whole answer as it is read, unpacked if it came packed. */
  readonly bytes: number;
  /** The number of events; comments between them count. */
  readonly events: number;
  /** One event with its lines, or one frame. */
  readonly eventBytes: number;
  /** The arguments of all calls of the turn together. */
  readonly argumentBytes: number;
  /** The longest wait between two pieces, in milliseconds. Before the first one a model thinks, and only the signal ends the wait. */
  readonly silenceMs: number;
}

/**
 * Far above what an honest answer needs in the two minutes that a call has by default: at 100 tokens a second it is 12,000 events of about 400 bytes.
 * OpenAI's responses repeat the streamed text whole in the last event. A reasoning model may be silent for more than a minute after its first event.
 */
export const DEFAULT_BOUNDS: AnswerBounds = {
  bytes: 32 * 1024 * 1024,
  events: 200_000,
  eventBytes: 4 * 1024 * 1024,
  argumentBytes: 1024 * 1024,
  silenceMs: 90_000,
};
