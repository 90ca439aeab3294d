import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { type AllowedHosts, guardedLookup, isAllowedHost, NotPublic, type ResolveName, whyNotCalled } from "./network-guard.ts";
import { webhookSignature } from "./webhook-signature.ts";

/** The time in which a target must answer, in milliseconds. */
export const ANSWER_WITHIN_MS = 10_000;

/** One attempt to notify a target. */
export interface WebhookAttempt {
  readonly url: URL;
  /** One secret, or two secrets during a rotation. */
  readonly secrets: readonly Uint8Array[];
  /** The id of the webhook, which is the same in every attempt. */
  readonly id: string;
  /** The time of the attempt in seconds. */
  readonly seconds: number;
  readonly body: string;
  readonly allowed: AllowedHosts;
  readonly signal: AbortSignal;
  /** Resolves names. By default the system resolves them. */
  readonly resolve?: ResolveName;
}

/** The outcome of an attempt. `reason` contains nothing secret, so neither the path of the address nor the target's response. */
export type AttemptOutcome =
  | { readonly kind: "delivered" }
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly reason: string };

/**
 * Sends a signed POST to an allowed address, according to Standard Webhooks. Follows no redirect, and reads only the status of the answer. Gives up
 * when the signal aborts or the time to answer is over. Never throws.
 */
export async function sendWebhook(attempt: WebhookAttempt): Promise<AttemptOutcome> {
  const { url, allowed, signal } = attempt;
  const refused = whyNotCalled(url, allowed);
  if (refused !== null) return { kind: "failed", reason: refused };
  const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
  try {
    return outcomeOf(await statusOf(attempt, AbortSignal.any([signal, late])));
  } catch (error) {
    if (late.aborted) return { kind: "failed", reason: `it did not answer within ${ANSWER_WITHIN_MS / 1000} s` };
    if (signal.aborted) return { kind: "failed", reason: "the service stopped meanwhile" };
    return { kind: "failed", reason: reasonOf(error) };
  }
}

function statusOf({ url, secrets, id, seconds, body, allowed, resolve }: WebhookAttempt, signal: AbortSignal): Promise<number> {
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  const { promise, resolve: answered, reject } = Promise.withResolvers<number>();
  const sent = request(
    url,
    {
      method: "POST",
      // The request uses a new connection, without a proxy.
      agent: false,
      lookup: guardedLookup(isAllowedHost(url, allowed), resolve),
      signal,
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "user-agent": "toolbus-webhooks",
        "webhook-id": id,
        "webhook-timestamp": String(seconds),
        "webhook-signature": webhookSignature({ id, seconds, body }, secrets),
      },
    },
    (answer) => {
      answered(answer.statusCode ?? 0);
      answer.destroy();
    },
  );
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (status === 410) return { kind: "gone" };
  if (status >= 300 && status < 400) return { kind: "failed", reason: `it answered ${status}; redirects are not followed` };
  return { kind: "failed", reason: `it answered ${status}` };
}

function reasonOf(error: unknown): string {
  if (error instanceof NotPublic) return error.message;
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown fault";
  return `it could not be reached (${code})`;
}
