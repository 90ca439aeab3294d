import type { AttemptOutcome, Channel } from "./channel.ts";
import { guardedRequest, unreached } from "./guarded-request.ts";
import type { AllowedHosts, ResolveName } from "./network-guard.ts";
import { webhookSignature } from "./webhook-signature.ts";
import type { WebhookTarget } from "./webhook-targets.ts";

/**
 * Returns the channel of Standard Webhooks. An attempt is a signed POST to an allowed address. It follows no redirect, and reads only the status of the
 * answer.
 */
export function webhookChannel({
  allowed,
  resolve,
}: {
  readonly allowed: AllowedHosts;
  readonly resolve?: ResolveName | undefined;
}): Channel<WebhookTarget> {
  return {
    async send({ target: { url, secrets }, delivery: { deliveryId: id, event, at }, content, now, signal }) {
      const body = JSON.stringify({ type: event, timestamp: new Date(at).toISOString(), data: content.data });
      const seconds = Math.floor(now / 1000);
      const headers = {
        "content-type": "application/json",
        "user-agent": "toolbus-webhooks",
        // This id is the same in every attempt, so that the receiver can drop a repeat.
        "webhook-id": id,
        "webhook-timestamp": String(seconds),
        "webhook-signature": webhookSignature({ id, seconds, body }, secrets),
      };
      try {
        return outcomeOf((await guardedRequest({ method: "POST", url, headers, body, allowed, signal, resolve })).status);
      } catch (error) {
        return { kind: "failed", reason: unreached(error, signal) };
      }
    },
  };
}

function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (status === 410) return { kind: "gone" };
  if (status >= 300 && status < 400) return { kind: "failed", reason: `it answered ${status}; redirects are not followed` };
  return { kind: "failed", reason: `it answered ${status}` };
}
