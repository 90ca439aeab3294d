import { type Static, Type } from "./schema.ts";
import { ON_CARD } from "./decision-on-card.ts";
import { DECISIONS } from "./documents/approval.ts";
import { ID_PATTERNS } from "./ids.ts";
import { declared, parser } from "./parse.ts";
import { TIERS } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;

/** Another system that may decide. An operator adds it to the file that `DECISION_HOOKS_FILE` names. */
export const HookSourceEntry = Type.Object(
  {
    /** The last part of the source's address, `/v1/hooks/<name>`. Each decision of the source records this name. */
    name: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,22}$" }),
    /**
     * The secrets of Standard Webhooks. Each is `whsec_` and the base64 of 24 to 64 bytes. During a rotation the list has the old secret and the new
     * one.
     */
    secrets: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 2 }),
    /** The tenant whose approvals the system may decide. */
    tenant: Type.String({ minLength: 1, maxLength: 200 }),
    /** The tiers of the writes that the system may decide. */
    tiers: Type.Array(Type.Enum([...TIERS]), { minItems: 1 }),
    /** Maps the other system's names for people to our approvers. */
    approvers: Type.Unsafe<Readonly<Record<string, string>>>({
      type: "object",
      minProperties: 1,
      maxProperties: 200,
      propertyNames: { type: "string", minLength: 1, maxLength: 200 },
      additionalProperties: { type: "string", minLength: 1, maxLength: 200 },
    }),
    /** The groups of our approvers, by which a policy chooses approvers. */
    groups: Type.Optional(
      Type.Unsafe<Readonly<Record<string, readonly string[]>>>({
        type: "object",
        maxProperties: 200,
        additionalProperties: { type: "array", maxItems: 64, items: { type: "string", minLength: 1, maxLength: 100 } },
      }),
    ),
  },
  closed,
);
export type HookSourceEntry = Static<typeof HookSourceEntry>;

/** A Slack workspace whose people may decide. It is an entry of the same file. */
export const SlackWorkspaceEntry = Type.Object(
  {
    /** The id of the workspace, or of the organisation if a whole organisation installed the app. */
    workspace: Type.String({ pattern: "^[TE][A-Z0-9]{1,20}$" }),
    /** The signing secrets of the app. During a rotation the list has the old secret and the new one. */
    signingSecrets: Type.Array(Type.String({ pattern: "^[A-Za-z0-9]{16,128}$" }), { minItems: 1, maxItems: 2 }),
    /** The next fields mean the same as for a source. The file names people by Slack's user ids. Membership of a channel gives no right. */
    tenant: HookSourceEntry.properties.tenant,
    tiers: HookSourceEntry.properties.tiers,
    approvers: HookSourceEntry.properties.approvers,
    groups: HookSourceEntry.properties.groups,
  },
  closed,
);
export type SlackWorkspaceEntry = Static<typeof SlackWorkspaceEntry>;

export const parseHookSourcesFile = parser(
  Type.Object(
    {
      sources: Type.Optional(Type.Array(HookSourceEntry, { maxItems: 16 })),
      slack: Type.Optional(Type.Array(SlackWorkspaceEntry, { maxItems: 16 })),
    },
    closed,
  ),
);

/** The body of `POST /v1/hooks/{id}`. Another system reports that one of its people has decided. */
export const HookDecision = Type.Object(
  {
    approval: Type.String({ pattern: ID_PATTERNS.approval }),
    decision: Type.Enum([...DECISIONS]),
    /** The other system's name for the person who decided. */
    approver: Type.String({ minLength: 1, maxLength: 200 }),
    comment: Type.Optional(Type.String({ maxLength: 2000 })),
    /** The ticket, which is required for critical writes. */
    ticket: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    ...ON_CARD,
  },
  closed,
);
export type HookDecision = Static<typeof HookDecision>;
export const hookDecision = declared("HookDecision", HookDecision);
