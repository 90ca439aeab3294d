/**
 * A failed model call. The class shows how a caller should react, and `retryable` shows whether the same request may succeed later. Any other thrown
 * value is a bug. Messages are for the operator, so they say what happened and what to try. They never contain keys or request bodies.
 */
export abstract class ModelError extends Error {
  abstract readonly code: string;
  abstract readonly retryable: boolean;
}

/** The provider does not accept our key, or the key may not use this model. */
export class AuthenticationError extends ModelError {
  override readonly name = "AuthenticationError";
  readonly code = "authentication_failed";
  readonly retryable = false;
}

/** The provider limits our requests or tokens for now. */
export class RateLimitError extends ModelError {
  override readonly name = "RateLimitError";
  readonly code = "rate_limited";
  readonly retryable = true;
  /** The wait that the provider asks for, in milliseconds, or null if it names none. */
  readonly retryAfterMs: number | null;

  constructor(message: string, retryAfterMs: number | null, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The provider refuses the request itself. The most likely cause is a tool's schema. The next likely cause is the transcript. */
export class ValidationError extends ModelError {
  override readonly name = "ValidationError";
  readonly code = "invalid_request";
  readonly retryable = false;
}

/** The prompt is longer than the model's window. The provider may accept the request with a shorter conversation. */
export class ContextOverflow extends ValidationError {}

/** The provider could not be reached, or the connection broke in the middle of a reply. */
export class NetworkError extends ModelError {
  override readonly name = "NetworkError";
  readonly code = "network_failed";
  readonly retryable = true;
}

/**
 * The answer exceeds a limit for its bytes, its events, the size of one event or the arguments of its calls. Either the answer is endless, or the
 * server ignores the requested maximum. A retry would receive the same answer and cost as much again.
 */
export class AnswerTooLarge extends ModelError {
  override readonly name = "AnswerTooLarge";
  readonly code = "answer_too_large";
  readonly retryable = false;

  /**
   * `what` continues "The model's answer", for example with `is over 100 bytes`. `remedy` is the setting that allows more, or a sentence that says
   * what to do.
   */
  constructor(what: string, remedy: { readonly raise: string } | string) {
    const todo =
      typeof remedy === "string" ? remedy : `Look at the model or its server, and raise ${remedy.raise} if such answers are intended.`;
    super(`The model's answer ${what} and was given up; nothing of it is used. ${todo}`);
  }
}

/** The answer began, but then the server was silent for too long. */
export class AnswerStalled extends ModelError {
  override readonly name = "AnswerStalled";
  readonly code = "answer_stalled";
  readonly retryable = true;

  constructor(silenceMs: number) {
    super(
      `The model's answer stopped coming for ${silenceMs / 1000} s; nothing of it is used. Look at the model or its server, and raise MODEL_SILENCE_MS if such waits are intended.`,
    );
  }
}

/** The provider reported a failure, or its answer was unreadable. */
export class ProviderError extends ModelError {
  override readonly name = "ProviderError";
  readonly code = "provider_failed";
  /** True for an overloaded or failing server. False if a retry would receive the same answer. */
  readonly retryable: boolean;
  /** The wait that the provider asks for, in milliseconds, or null if it names none. */
  readonly retryAfterMs: number | null;

  constructor(message: string, retryable: boolean, options?: ErrorOptions & { readonly retryAfterMs?: number | null }) {
    super(message, options);
    this.retryable = retryable;
    this.retryAfterMs = options?.retryAfterMs ?? null;
  }
}
