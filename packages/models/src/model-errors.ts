/**
 * A failed model call. The class says how a caller should react, `retryable` whether the same request may succeed later; any other thrown value is a bug.
 * Messages are for the operator: what happened and what to try. They never contain keys or request bodies.
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
  /** How long the provider asks us to wait, in milliseconds; null if it does not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, retryAfterMs: number | null, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The provider refuses the request itself: most likely because of a tool's schema, otherwise because of the transcript. */
export class ValidationError extends ModelError {
  override readonly name = "ValidationError";
  readonly code = "invalid_request";
  readonly retryable = false;
}

/** The prompt is longer than the model's window: with a shorter conversation the same request may be accepted. */
export class ContextOverflow extends ValidationError {}

/** The provider could not be reached, or the connection broke in the middle of a reply. */
export class NetworkError extends ModelError {
  override readonly name = "NetworkError";
  readonly code = "network_failed";
  readonly retryable = true;
}

/**
 * The answer exceeds a limit: in bytes, events, the size of one event or the arguments of its calls. It is endless, or the server ignores the requested
 * maximum reply. A retry would get, and pay for, the same again.
 */
export class AnswerTooLarge extends ModelError {
  override readonly name = "AnswerTooLarge";
  readonly code = "answer_too_large";
  readonly retryable = false;

  /** What it is, such as `is over 100 bytes`, and the setting that allows more, or else what to do. */
  constructor(what: string, remedy: { readonly raise: string } | string) {
    const todo =
      typeof remedy === "string" ? remedy : `Look at the model or its server, and raise ${remedy.raise} if such answers are intended.`;
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
      `The model's answer stopped coming for ${silenceMs / 1000} s; nothing of it is used. Look at the model or its server, and raise MODEL_SILENCE_MS if such waits are intended.`,
    );
  }
}

/** The provider answered that it failed, or its answer was unreadable. */
export class ProviderError extends ModelError {
  override readonly name = "ProviderError";
  readonly code = "provider_failed";
  /** True for an overloaded or failing server; false for an answer that would come again. */
  readonly retryable: boolean;
  /** How long the provider asks us to wait, in milliseconds; null if it does not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, retryable: boolean, options?: ErrorOptions & { readonly retryAfterMs?: number | null }) {
    super(message, options);
    this.retryable = retryable;
    this.retryAfterMs = options?.retryAfterMs ?? null;
  }
}
