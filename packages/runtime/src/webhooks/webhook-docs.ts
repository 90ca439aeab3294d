import { declared, WEBHOOK_BODIES, type WebhookEvent } from "@toolbus/contracts";
import type { WebhookDocs } from "../http/openapi.ts";
import { WEBHOOKS_TAG } from "./webhook-routes.ts";

interface About {
  readonly name: string;
  readonly operationId: string;
  readonly summary: string;
}

const ABOUT: Readonly<Record<WebhookEvent, About>> = {
  "approval.held": { name: "ApprovalHeldWebhook", operationId: "onApprovalHeld", summary: "A write waits for people to decide." },
  "approval.reminder": {
    name: "ApprovalReminderWebhook",
    operationId: "onApprovalReminder",
    summary: "A write still waits for people to decide, and part of their time is over.",
  },
  "approval.escalated": {
    name: "ApprovalEscalatedWebhook",
    operationId: "onApprovalEscalated",
    summary: "A write still waits, and the policy names this target for it.",
  },
  "approval.ended": {
    name: "ApprovalEndedWebhook",
    operationId: "onApprovalEnded",
    summary: "A write no longer waits for people to decide; `status` says how it ended.",
  },
  "run.ended": { name: "RunEndedWebhook", operationId: "onRunEnded", summary: "A run has ended, with everything that it did." },
};

/** Returns the webhooks of a service for its API's description. */
export function webhookDocs(events: readonly WebhookEvent[]): Readonly<Record<string, WebhookDocs>> {
  return Object.fromEntries(
    events.map((event) => {
      const { name, operationId, summary } = ABOUT[event];
      const body = declared(name, WEBHOOK_BODIES[event]);
      return [event, { operationId, tag: WEBHOOKS_TAG, summary, description: HOW, headers: HEADERS, body, answers: ANSWERS }];
    }),
  );
}

const HOW =
  "Sent to the targets in `WEBHOOKS_FILE`, at least once, as Standard Webhooks: check the signature over the exact bytes, and drop an id that you already had.";
const HEADERS = {
  "webhook-id": "The same in every attempt.",
  "webhook-timestamp": "When this attempt was made, in seconds since 1970.",
  "webhook-signature": "`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`; one for each secret of the target.",
} as const;
const ANSWERS = {
  "2XX": "It is accepted and not sent again.",
  "410":
    "The target is gone. The delivery is given up. The process that got this answer sends nothing more to the target until it restarts, or until an operator sends one of the deliveries again.",
  default: "It is sent again by the ladder of `WEBHOOK_RETRIES_S`. Redirects are not followed.",
} as const;
