import { type Static, Type } from "../schema.ts";
import { ID_PATTERNS } from "../ids.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/** The events that webhooks report. */
export const WEBHOOK_EVENTS = ["approval.held", "approval.reminder", "approval.ended", "run.ended"] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Why a delivery was given up: every attempt failed, or the target answered that it is gone (410). */
export const DELIVERY_STATES = ["waiting", "failed", "gone"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * One event to send to one target, created in the commit that made the event true. The event is built from its subject when it is sent, so nothing of it is
 * duplicated here. Address and secret are not here either: they stand in the file of targets. A delivered one is removed. Families `hook.approvals` and
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
    /** Number of attempts begun. */
    attempts: Type.Integer({ minimum: 0 }),
    state: Type.Enum([...DELIVERY_STATES]),
    /** When and why the last attempt failed. */
    failedAt: Type.Optional(Type.Integer()),
    reason: Type.Optional(Type.String({ maxLength: 300 })),
  },
  closed,
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;
export const parseWebhookDelivery = parser(WebhookDelivery);
