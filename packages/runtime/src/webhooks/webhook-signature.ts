import { createHmac, timingSafeEqual } from "node:crypto";

/** The parts that a signature of Standard Webhooks covers: the id, the time of the attempt in seconds, and the bytes of the body. */
export interface SignedParts {
  readonly id: string;
  readonly seconds: number;
  readonly body: string;
}

const PREFIX = "whsec_";
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** Returns the bytes of a secret of Standard Webhooks, which is `whsec_` and base64 of 24 to 64 bytes. Returns null for any other text. */
export function webhookSecret(text: string): Uint8Array | null {
  const coded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : "";
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(coded)) return null;
  const bytes = Buffer.from(coded, "base64");
  return bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES ? bytes : null;
}

/**
 * Returns the value of `webhook-signature`. The value has one signature for each secret, so that a receiver may change its secret at any time during
 * a rotation.
 */
export function webhookSignature(parts: SignedParts, secrets: readonly Uint8Array[]): string {
  return secrets.map((secret) => `v1,${macOf(parts, secret).toString("base64")}`).join(" ");
}

/**
 * Returns whether a signature in the header matches one of the secrets. The time of the comparison does not reveal how similar a wrong signature is.
 */
export function isSigned(header: string, parts: SignedParts, secrets: readonly Uint8Array[]): boolean {
  const given = header
    .split(" ")
    .filter((one) => one.startsWith("v1,"))
    .slice(0, MOST_SIGNATURES)
    .map((one) => Buffer.from(one.slice("v1,".length), "base64"));
  const wanted = secrets.map((secret) => macOf(parts, secret));
  return wanted.some((mac) => given.some((one) => one.length === mac.length && timingSafeEqual(one, mac)));
}

/** The maximum number of checked signatures. A rotation needs two, and a sender may add more. */
const MOST_SIGNATURES = 8;

function macOf({ id, seconds, body }: SignedParts, secret: Uint8Array): Buffer {
  return createHmac("sha256", secret).update(`${id}.${seconds}.${body}`).digest();
}
