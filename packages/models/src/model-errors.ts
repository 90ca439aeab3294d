/**
 * A model call that failed. The class says what a caller does about it, `retryable` whether the same request may succeed later; anything else
 * that is thrown is a bug. Messages are written to the operator: what happened and what to try. Keys and request bodies never stand in them.
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

/** Too many requests or tokens for now. */
export class RateLimitError extends ModelError {
  override readonly name = "RateLimitError";
  readonly code = "rate_limited";
  readonly retryable = true;
  /** How long the provider asks us to wait, in milliseconds; null when it does not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, retryAfterMs: number | null, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The provider refuses the request itself: a fault of a tool's schema first, of the transcript second. */
export class ValidationError extends ModelError {
  override readonly name = "ValidationError";
  readonly code = "invalid_request";
  readonly retryable = false;
}

/** The prompt is longer than the model's window: with less of the conversation the same request may be taken. */
export class ContextOverflow extends ValidationError {}

/** The provider could not be reached, or the connection broke in the middle of a reply. */
export class NetworkError extends ModelError {
  override readonly name = "NetworkError";
  readonly code = "network_failed";
  readonly retryable = true;
}

/**
 * The answer is larger than one may be, in bytes, events, one event or the arguments of its calls: it is endless, or the server takes no heed of the longest
 * reply that it was asked for. Asked again it would come again, and be paid for again.
 */
export class AnswerTooLarge extends ModelError {
  override readonly name = "AnswerTooLarge";
  readonly code = "answer_too_large";
  readonly retryable = false;

  /** What it is, such as `is over 100 bytes`, and the setting that lets more in, or else what to do. */
  constructor(what: string, remedy: { readonly raise: string } | string) {
    const todo =
      typeof remedy === "string" ? remedy : `Look at the model or its server, and raise ${remedy.raise} where such answers are meant.`;
    super(`The model's answer ${what} and was given up; nothing of it is used. ${todo}`);
  }
}

/** The answer began, and then nothing came for too long. */
export class AnswerStalled extends ModelError {
  override readonly name = "AnswerStalled";
  readonly code = "answer_stalled";
  readonly retryable = true;

  constructor(silenceMs: number) {
    super(
      `The model's answer stopped coming for ${silenceMs / 1000} s; nothing of it is used. Look at the model or its server, and raise MODEL_SILENCE_MS where such waits are meant.`,
    );
  }
}

/** The provider answered that it failed, or answered what nobody can read. */
export class ProviderError extends ModelError {
  override readonly name = "ProviderError";
  readonly code = "provider_failed";
  /** True for an overloaded or failing server; false for an answer that would come again. */
  readonly retryable: boolean;
  /** How long the provider asks us to wait, in milliseconds; null when it does not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, retryable: boolean, options?: ErrorOptions & { readonly retryAfterMs?: number | null }) {
    super(message, options);
    this.retryable = retryable;
    this.retryAfterMs = options?.retryAfterMs ?? null;
  }
}
