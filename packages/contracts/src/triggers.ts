import { type Static, Type } from "./schema.ts";
import { Note, ReleaseId } from "./http.ts";
import { declared } from "./parse.ts";

// These schemas describe the requests with which external programs begin investigations, and their answers.

const closed = { additionalProperties: false } as const;

const Texts = Type.Unsafe<Readonly<Record<string, string>>>({ type: "object", additionalProperties: { type: "string" } });

/** An alert in a message from Alertmanager. */
export const SentAlert = Type.Object({
  status: Type.Enum(["firing", "resolved"]),
  labels: Texts,
  annotations: Type.Optional(Texts),
  startsAt: Type.String({ format: "date-time", maxLength: 64 }),
  endsAt: Type.Optional(Type.String({ description: "Has no meaning while the alert fires." })),
  generatorURL: Type.Optional(Type.String()),
  fingerprint: Type.String({ minLength: 1, maxLength: 128 }),
});
export type SentAlert = Static<typeof SentAlert>;

/**
 * The body that Alertmanager posts to a webhook, in its version 4. This foreign format gets new fields without a new version (`notification_reason`,
 * `routeLabels`), so unknown fields are allowed and ignored. Only the body as a whole has a length limit.
 */
export const AlertmanagerMessage = Type.Object({
  version: Type.Literal("4"),
  groupKey: Type.String({ minLength: 1, description: "Names the group of alerts that the message is about." }),
  truncatedAlerts: Type.Optional(Type.Integer({ minimum: 0, description: "How many alerts `max_alerts` has left out." })),
  status: Type.Optional(Type.Enum(["firing", "resolved"])),
  receiver: Type.Optional(Type.String()),
  groupLabels: Type.Optional(Texts),
  commonLabels: Type.Optional(Texts),
  commonAnnotations: Type.Optional(Texts),
  externalURL: Type.Optional(Type.String()),
  alerts: Type.Array(SentAlert),
});
export type AlertmanagerMessage = Static<typeof AlertmanagerMessage>;
export const alertmanagerMessage = declared("AlertmanagerMessage", AlertmanagerMessage);

/** The body of `POST /v1/triggers/release`. */
export const ReleaseTrigger = Type.Object({ releaseId: ReleaseId, note: Type.Optional(Note) }, closed);
export type ReleaseTrigger = Static<typeof ReleaseTrigger>;
export const releaseTrigger = declared("ReleaseTrigger", ReleaseTrigger);

/** The outcomes of the alerts of a message, in order. */
export const AlertTriggerView = Type.Object(
  {
    alerts: Type.Array(
      Type.Object(
        {
          fingerprint: Type.String(),
          outcome: Type.Enum(["started", "repeated", "ignored"], {
            description: "`repeated`: an earlier message started its run. `ignored`: it starts no run.",
          }),
          runId: Type.Optional(Type.String()),
          reason: Type.Optional(Type.Enum(["resolved"], { description: "Why it is ignored." })),
        },
        closed,
      ),
    ),
    truncated: Type.Integer({ description: "How many alerts the sender left out; they started no run." }),
  },
  closed,
);
export type AlertTriggerView = Static<typeof AlertTriggerView>;

export const ReleaseTriggerView = Type.Object(
  { releaseId: Type.String(), outcome: Type.Enum(["started", "repeated"]), runId: Type.String() },
  closed,
);
export type ReleaseTriggerView = Static<typeof ReleaseTriggerView>;
