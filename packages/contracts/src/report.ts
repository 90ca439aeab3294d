import { type Static, Type } from "./schema.ts";

const closed = { additionalProperties: false } as const;

export const SEVERITIES = ["low", "medium", "high"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** One call that supports a finding. The object has both the id in the transcript and the call's own id. */
export const Evidence = Type.Object(
  {
    callId: Type.String(),
    transcriptId: Type.String(),
    tool: Type.String(),
    status: Type.String(),
    contentHash: Type.String(),
    at: Type.Integer(),
    /** The people who approved a write, or `policy`. `effect` is the effect of the write in the words of its tool. */
    approvedBy: Type.Optional(Type.Array(Type.String())),
    effect: Type.Optional(Type.String()),
  },
  closed,
);
export type Evidence = Static<typeof Evidence>;

/** The findings of an investigation, the evidence for them, and whether the report was filed. */
export const Report = Type.Object(
  {
    subject: Type.String(),
    /** The cause of an alert, or null if the investigation did not find it. */
    cause: Type.Union([Type.String({ maxLength: 2000 }), Type.Null()]),
    severity: Type.Union([Type.Enum([...SEVERITIES]), Type.Null()]),
    findings: Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 64 }),
    evidence: Type.Array(Evidence, { maxItems: 256 }),
    /** The state of the write that files the report. It is `filed` only if the target confirmed the write. */
    filing: Type.Object(
      {
        status: Type.Enum(["filed", "denied", "expired", "outcome_unknown", "failed", "not_attempted", "cancelled"]),
        reportId: Type.Optional(Type.String()),
        callId: Type.Optional(Type.String()),
      },
      closed,
    ),
  },
  closed,
);
export type Report = Static<typeof Report>;
