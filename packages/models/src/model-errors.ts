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
