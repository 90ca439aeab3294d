/** The limits of one model answer. The adapter gives up an answer that exceeds a limit. The signal of the call limits the total time. */
export interface AnswerBounds {
  /** The size of the whole answer, after decompression. */
  readonly bytes: number;
  /** The number of events, including the comments between them. */
  readonly events: number;
  /** The size of one event with its lines, or of one frame. */
  readonly eventBytes: number;
  /** The size of the arguments of all calls of the turn together. */
  readonly argumentBytes: number;
  /**
   * The longest wait between two pieces, in milliseconds. It does not apply to the wait for the first piece, because the model thinks before that.
   * Only the signal of the call ends that wait.
   */
  readonly silenceMs: number;
}

/**
 * These limits are far above the needs of an honest answer. In its default two minutes, a call at 100 tokens per second has 12,000 events of about
 * 400 bytes. OpenAI's responses repeat the whole streamed text in the last event. A reasoning model may be silent for more than a minute after its
 * first event.
 */
export const DEFAULT_BOUNDS: AnswerBounds = {
  bytes: 32 * 1024 * 1024,
  events: 200_000,
  eventBytes: 4 * 1024 * 1024,
  argumentBytes: 1024 * 1024,
  silenceMs: 90_000,
};
