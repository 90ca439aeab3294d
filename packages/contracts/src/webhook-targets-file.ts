import { type Static, Type } from "./schema.ts";
import { WEBHOOK_EVENTS } from "./documents/webhook-delivery.ts";
import { parser } from "./parse.ts";

const closed = { additionalProperties: false } as const;

/** A target of webhooks. An operator adds it to the file that `WEBHOOKS_FILE` names. */
export const WebhookTargetEntry = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,31}$" }),
    url: Type.String({ maxLength: 2000 }),
    /** The secrets of Standard Webhooks. Each is `whsec_` and the base64 of 24 to 64 bytes. There are two while one replaces the other. */
    secrets: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 2 }),
    events: Type.Array(Type.Enum([...WEBHOOK_EVENTS]), { minItems: 1 }),
    /** The tenant whose events the target gets. Without this field the target gets the events of every tenant. */
    tenant: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  closed,
);
export type WebhookTargetEntry = Static<typeof WebhookTargetEntry>;

export const parseWebhookTargetsFile = parser(Type.Object({ targets: Type.Array(WebhookTargetEntry, { maxItems: 16 }) }, closed));
