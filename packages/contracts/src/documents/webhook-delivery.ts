import { type Static, Type } from "../schema.ts";
import { ID_PATTERNS } from "../ids.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/** What webhooks tell of. */
export const WEBHOOK_EVENTS = ["approval.held", "approval.reminder", "approval.ended", "run.ended"] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Why a delivery was given up: every attempt failed, or the target said that it is gone (410). */
export const DELIVERY_STATES = ["waiting", "failed", "gone"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * One event that one target has to be told of, made in the commit that made it true. The event is made from the subject when it is sent, so nothing of
 * it stands here twice; no address and no secret either, which are the file's. One that was delivered is removed. Families `hook.approvals` and
 * `hook.agent`, written by the service of that name.
 */
export const WebhookDelivery = Type.Object(
  {
    deliveryId: Type.String({ pattern: ID_PATTERNS.delivery }),
    event: Type.Enum([...WEBHOOK_EVENTS]),
    /** The approval or the run that it is about. */
    subject: Type.String(),
    /** The target's name in the file of targets. */
    target: Type.String(),
    /** The store's time of the event. */
    at: Type.Integer(),
    /** Attempts that were begun. */
    attempts: Type.Integer({ minimum: 0 }),
    state: Type.Enum([...DELIVERY_STATES]),
    /** When the last attempt ended, and why it failed. */
    failedAt: Type.Optional(Type.Integer()),
    reason: Type.Optional(Type.String({ maxLength: 300 })),
  },
  closed,
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;
export const parseWebhookDelivery = parser(WebhookDelivery);
