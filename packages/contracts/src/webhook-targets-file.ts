import { type Static, Type } from "./schema.ts";
import { WEBHOOK_EVENTS } from "./documents/webhook-delivery.ts";
import { parser } from "./parse.ts";

const closed = { additionalProperties: false } as const;

/** A target of webhooks, as an operator writes it into the file that `WEBHOOKS_FILE` names. */
export const WebhookTargetEntry = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,31}$" }),
    url: Type.String({ maxLength: 2000 }),
    /** Of Standard Webhooks: `whsec_` and base64 of 24 to 64 bytes. Two while one replaces the other. */
    secrets: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 2 }),
    events: Type.Array(Type.Enum([...WEBHOOK_EVENTS]), { minItems: 1 }),
    /** Whose events it gets; absent: those of every tenant. */
    tenant: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  closed,
);
export type WebhookTargetEntry = Static<typeof WebhookTargetEntry>;

export const parseWebhookTargetsFile = parser(Type.Object({ targets: Type.Array(WebhookTargetEntry, { maxItems: 16 }) }, closed));
