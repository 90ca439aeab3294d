import { createHmac, timingSafeEqual } from "node:crypto";

/** The largest difference between the time of a request and the time of this service, in seconds. */
const REPLAY_WINDOW_S = 300;

/** A request as it was received. */
export interface SlackRequest {
  /** `x-slack-request-timestamp` and `x-slack-signature`. */
  readonly timestamp: unknown;
  readonly signature: unknown;
  /** The body, byte for byte. */
  readonly text: string;
}

/** Returns whether one of the secrets signed this request: `v0=` and the HMAC-SHA256 over `v0:timestamp:body`. It does not check the time. */
export function isSignedBySlack({ timestamp, signature, text }: SlackRequest, secrets: readonly string[]): boolean {
  if (typeof timestamp !== "string" || typeof signature !== "string" || !TIME.test(timestamp) || !SIGNATURE.test(signature)) return false;
  const given = Buffer.from(signature.slice("v0=".length), "hex");
  // The time of the comparison does not reveal how similar a wrong signature is.
  return secrets.some((secret) => timingSafeEqual(given, createHmac("sha256", secret).update(`v0:${timestamp}:${text}`).digest()));
}

/** Returns whether the signed time is close enough to the current one. An intercepted request is useless after that. */
export function isFresh({ timestamp }: Pick<SlackRequest, "timestamp">, nowMs: number): boolean {
  return Math.abs(nowMs / 1000 - Number(timestamp)) <= REPLAY_WINDOW_S;
}

const TIME = /^[0-9]{1,12}$/;
const SIGNATURE = /^v0=[0-9a-f]{64}$/;
