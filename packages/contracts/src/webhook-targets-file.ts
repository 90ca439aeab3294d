import { type Static, Type } from "./schema.ts";
import { CHANNELS, WEBHOOK_EVENTS } from "./documents/webhook-delivery.ts";
import { type Parsed, parser } from "./parse.ts";

const closed = { additionalProperties: false } as const;

const common = {
  name: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,31}$" }),
  /** The tenant whose events the target gets. Without this field the target gets the events of every tenant. */
  tenant: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
} as const;

/** The events that a target of e-mails can report. Only webhooks also report ended runs. */
const approvalEvents = Type.Array(Type.Enum(["approval.held", "approval.reminder", "approval.escalated", "approval.ended"]), {
  minItems: 1,
});

/** A target of webhooks. An operator adds it to the file that `WEBHOOKS_FILE` names. */
export const WebhookTargetEntry = Type.Object(
  {
    ...common,
    kind: Type.Optional(Type.Literal("webhook")),
    url: Type.String({ maxLength: 2000 }),
    /**
     * The secrets of Standard Webhooks. Each is `whsec_` and the base64 of 24 to 64 bytes. During a rotation the list has the old secret and the new
     * one.
     */
    secrets: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 2 }),
    events: Type.Array(Type.Enum([...WEBHOOK_EVENTS]), { minItems: 1 }),
  },
  closed,
);
export type WebhookTargetEntry = Static<typeof WebhookTargetEntry>;

// A bare address without a display name. The pattern allows no character that could begin another address or another header.
const address = Type.String({ pattern: String.raw`^[^\s<>"(),:;@\\\u0000-\u001f\u007f]{1,64}@[A-Za-z0-9.-]{1,253}$` });

/** A target of e-mails to people, in the same file. */
export const EmailTargetEntry = Type.Object(
  {
    ...common,
    kind: Type.Literal("email"),
    /** The mail server that accepts the mail. */
    host: Type.String({ pattern: String.raw`^[A-Za-z0-9.:-]{1,253}$` }),
    /** By default 587, and 465 if TLS is implicit. */
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    /** `starttls` (the default) and `implicit` send nothing without TLS. `none` is only for a host that `WEBHOOK_ALLOWED_HOSTS` names. */
    tls: Type.Optional(Type.Enum(["starttls", "implicit", "none"])),
    user: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    from: address,
    to: Type.Array(address, { minItems: 1, maxItems: 20 }),
    events: approvalEvents,
  },
  closed,
);
export type EmailTargetEntry = Static<typeof EmailTargetEntry>;

/** A channel of a Slack workspace, in the same file. */
export const SlackTargetEntry = Type.Object(
  {
    ...common,
    kind: Type.Literal("slack"),
    /** The id of the workspace. Buttons appear if the file of decision hooks has an entry with the same id. */
    workspace: Type.String({ pattern: "^[TE][A-Z0-9]{1,20}$" }),
    /** The token of the app's bot. */
    token: Type.String({ pattern: "^xoxb-[A-Za-z0-9-]{1,250}$" }),
    /** The id of the channel. A channel's name is not accepted, because another channel may later have the same name. */
    channel: Type.String({ pattern: "^[CGD][A-Z0-9]{1,20}$" }),
    /**
     * Whether approvals also posts the reminder. The default is true. Approvals always posts a message when a write is held, and updates this message
     * when the approval has ended.
     */
    reminders: Type.Optional(Type.Boolean()),
    /** The base address of Slack's methods, by default https://slack.com/api. */
    apiUrl: Type.Optional(Type.String({ maxLength: 2000 })),
  },
  closed,
);
export type SlackTargetEntry = Static<typeof SlackTargetEntry>;

/** One target of the file. `kind` names its channel. A target without `kind` is a webhook. */
export type TargetEntry = WebhookTargetEntry | EmailTargetEntry | SlackTargetEntry;

const parseTargets = parser(
  Type.Object({ targets: Type.Array(Type.Object({ kind: Type.Optional(Type.Enum([...CHANNELS])) }), { maxItems: 16 }) }, closed),
);
const parsers = { webhook: parser(WebhookTargetEntry), email: parser(EmailTargetEntry), slack: parser(SlackTargetEntry) } as const;

/** Reads the file of targets. Each target is checked by the schema of its kind, so a fault names a field of that kind. */
export function parseWebhookTargetsFile(value: unknown): Parsed<{ readonly targets: readonly TargetEntry[] }> {
  const outer = parseTargets(value);
  if (!outer.ok) return outer;
  const read = outer.value.targets.map((target) => parsers[target.kind ?? "webhook"](target) as Parsed<TargetEntry>);
  const problems = read.flatMap((one, n) =>
    one.ok ? [] : one.problems.map(({ path, message }) => ({ path: `/targets/${n}${path}`, message })),
  );
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: { targets: read.flatMap((one) => (one.ok ? [one.value] : [])) } };
}
