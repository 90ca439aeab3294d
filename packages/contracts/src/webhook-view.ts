import { type Static, Type } from "./schema.ts";
import { ApprovalView } from "./approval-view.ts";
import { EndedCall } from "./ended-call.ts";
import { CHANNELS, DELIVERY_STATES, WEBHOOK_EVENTS } from "./documents/webhook-delivery.ts";
import { RunView } from "./http-views.ts";
import { declaredQuery } from "./parse.ts";

const closed = { additionalProperties: false } as const;

/** A run as the API shows it, with every ended call. The writes that happened are first, then those that may have happened, then all other calls. */
export const EndedRun = Type.Object(
  {
    run: RunView,
    /** The run's changes in a clause, or null if the run certainly changed nothing. */
    written: Type.Union([Type.String(), Type.Null()]),
    calls: Type.Array(EndedCall),
  },
  closed,
);
export type EndedRun = Static<typeof EndedRun>;

const eventOf = <const Event extends string, Data extends Parameters<typeof Type.Array>[0]>(event: Event, data: Data) =>
  Type.Object(
    {
      type: Type.Literal(event),
      timestamp: Type.String({ format: "date-time", description: "When it became true, by the store's clock." }),
      data,
    },
    closed,
  );

/** The body of each webhook, by its type. */
export const WEBHOOK_BODIES = {
  "approval.held": eventOf("approval.held", ApprovalView),
  "approval.reminder": eventOf("approval.reminder", ApprovalView),
  "approval.escalated": eventOf("approval.escalated", ApprovalView),
  "approval.ended": eventOf("approval.ended", ApprovalView),
  "run.ended": eventOf("run.ended", EndedRun),
} as const satisfies Record<(typeof WEBHOOK_EVENTS)[number], unknown>;

/** A delivery that was given up. Times are the store's time in milliseconds. */
export const DeliveryView = Type.Object(
  {
    id: Type.String(),
    event: Type.Enum([...WEBHOOK_EVENTS]),
    /** The approval or the run that the event is about. */
    subject: Type.String(),
    target: Type.String(),
    /** The channel of the delivery. Earlier versions do not send this field, because they have only webhooks. */
    channel: Type.Optional(Type.Enum([...CHANNELS])),
    at: Type.Integer(),
    attempts: Type.Integer(),
    state: Type.Enum([...DELIVERY_STATES]),
    failedAt: Type.Optional(Type.Integer()),
    reason: Type.Optional(Type.String()),
    links: Type.Object({ send: Type.String() }, closed),
  },
  closed,
);
export type DeliveryView = Static<typeof DeliveryView>;

/** A page of deliveries that were given up, newest first. */
export const DeliveryPage = Type.Object({ deliveries: Type.Array(DeliveryView), cursor: Type.Optional(Type.String()) }, closed);
export type DeliveryPage = Static<typeof DeliveryPage>;

/** The query of `GET /v1/webhooks`. */
export const deliveriesQuery = declaredQuery(
  "DeliveriesQuery",
  Type.Object(
    {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "How many deliveries at most." })),
      cursor: Type.Optional(Type.String({ maxLength: 2000, description: "The `cursor` of the previous page." })),
    },
    closed,
  ),
);
