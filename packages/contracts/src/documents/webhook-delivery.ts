import { type Static, Type } from "../schema.ts";
import { ID_PATTERNS } from "../ids.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/** The events that webhooks report. */
export const WEBHOOK_EVENTS = ["approval.held", "approval.reminder", "approval.escalated", "approval.ended", "run.ended"] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** The channels over which a service reports an event to a target. */
export const CHANNELS = ["webhook", "email", "slack"] as const;
export type ChannelKind = (typeof CHANNELS)[number];

/**
 * The state of a delivery. It is `failed` if every attempt failed or the target refused it for good, and `gone` if the target answered 410. In both
 * states the service has given up the delivery.
 */
export const DELIVERY_STATES = ["waiting", "failed", "gone"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * One event to send to one target. The commit that causes the event creates the delivery. The service builds the event from its subject when it sends
 * the event, so this document has no copy of the event. Only the file of targets contains the address and the secret of the target. The service
 * removes a successful delivery. Approvals writes deliveries to the family `hook.approvals`, and the agent to `hook.agent`.
 */
export const WebhookDelivery = Type.Object(
  {
    deliveryId: Type.String({ pattern: ID_PATTERNS.delivery }),
    event: Type.Enum([...WEBHOOK_EVENTS]),
    /** The approval or the run that the event is about. */
    subject: Type.String(),
    /** The target's name in the file of targets. */
    target: Type.String(),
    /** The channel of the delivery. Absent for a webhook, as in the documents of earlier versions. */
    channel: Type.Optional(Type.Enum([...CHANNELS])),
    /** The time of the event, by the store's clock. */
    at: Type.Integer(),
    /** The number of attempts that have begun. */
    attempts: Type.Integer({ minimum: 0 }),
    state: Type.Enum([...DELIVERY_STATES]),
    /** The time of the last failed attempt. `reason` says why it failed. */
    failedAt: Type.Optional(Type.Integer()),
    reason: Type.Optional(Type.String({ maxLength: 300 })),
  },
  closed,
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;
export const parseWebhookDelivery = parser(WebhookDelivery);
