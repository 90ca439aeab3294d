import { type Static, Type } from "./schema.ts";
import type { JsonObject } from "./json.ts";
import { parser } from "./parse.ts";
import { TIERS } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;

/** The largest number of people that a policy may demand for one write. An approval stores at most 16 decisions. */
export const MOST_APPROVERS = 16;

/**
 * The longest time that a write may wait for people. Approvals needs the origin of the run for each decision, and the gateway keeps it for 9 days. A
 * run may ask for a write for 48 h, and an approved write has 24 h to begin. The remaining 6 days are the limit.
 */
export const LONGEST_WAIT_MS = 6 * 86_400_000;

/**
 * After a rotation, an old seal key has to stay this long, because approvals does not seal everything again. It keeps the list of a requester's
 * waiting writes for this time, and a decision token for at most a day longer than the longest wait.
 */
export const OLD_SEALS_MS = 2 * LONGEST_WAIT_MS;

/** A name that the author of a policy chooses. */
const Name = Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,62}$" });

/** The tools to which a rule applies: a tool by its name (`issue_refund`), every tool of a toolset, or every tool of a source. */
const Tools = Type.Array(Type.String({ pattern: "^([a-z][a-z0-9_]{0,63}|toolset:[A-Za-z0-9][A-Za-z0-9._-]{0,63}|source:\\S{1,120})$" }), {
  minItems: 1,
  maxItems: 64,
});

/** A duration in minutes, hours or days, such as `90m`, `4h` or `2d`. */
const Duration = Type.String({ pattern: "^[1-9][0-9]{0,4}[mhd]$" });

/** A condition for an approver. The approver is the named one, or has a key with this group, role or scope. */
export const ApproverRule = Type.String({ pattern: "^(approver|group|role|scope):\\S(.{0,198}\\S)?$" });

/** How many people of each group have to approve. Each person counts for only one group. */
export const GroupCounts = Type.Unsafe<Readonly<Record<string, number>>>({
  type: "object",
  minProperties: 1,
  maxProperties: MOST_APPROVERS,
  propertyNames: { type: "string", minLength: 1, maxLength: 100 },
  additionalProperties: { type: "integer", minimum: 1, maximum: MOST_APPROVERS },
});

/** What a write needs before it is granted. A missing field adds nothing. */
export const PolicyNeeds = Type.Object(
  {
    /** The number of distinct approvers. The tier's own number (0, 0, 1, 2) remains the minimum. */
    approvers: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_APPROVERS })),
    /** The people who may decide. A person must satisfy at least one of these conditions. */
    from: Type.Optional(Type.Array(ApproverRule, { minItems: 1, maxItems: 32 })),
    groups: Type.Optional(GroupCounts),
    /** A regular expression that the ticket must match. If it is set, an approval needs a ticket. */
    ticket: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    /** How long people have to decide. */
    expires: Type.Optional(Duration),
    /** The share of the time in `expires`, in percent, after which a webhook reminds people of the write. 0 means never. */
    remind: Type.Optional(Type.Integer({ minimum: 0, maximum: 99 })),
    /** The working hours in which this time passes, by their name in `hours`, or `always`. */
    hours: Type.Optional(Name),
    /** The webhook targets that are notified after this share of the time, in percent. */
    escalate: Type.Optional(
      Type.Object(
        {
          after: Type.Integer({ minimum: 1, maximum: 99 }),
          to: Type.Array(Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,31}$" }), { minItems: 1, maxItems: 8 }),
        },
        closed,
      ),
    ),
  },
  { ...closed, minProperties: 1 },
);
export type PolicyNeeds = Static<typeof PolicyNeeds>;

/** A rule for some calls. It raises their tier, adds requirements, or does both. */
export const PolicyRule = Type.Object(
  {
    name: Name,
    /** By default the rule applies to every tool. */
    tools: Type.Optional(Tools),
    /** The tenants of the requesters. By default the rule applies to every tenant. */
    tenants: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 64 })),
    /** The tiers of the calls, after every rule has raised them. A rule with this condition cannot raise the tier itself. */
    tiers: Type.Optional(Type.Array(Type.Enum([...TIERS]), { minItems: 1, maxItems: 4 })),
    /** A JSON Schema for the arguments. The rule applies if the arguments satisfy the schema, or if the check cannot decide whether they do. */
    when: Type.Optional(Type.Unsafe<JsonObject>({ type: "object" })),
    /** The minimum tier of such a call. */
    tier: Type.Optional(Type.Enum([...TIERS])),
    /** The sentence that an approver reads about a raised tier. */
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    needs: Type.Optional(PolicyNeeds),
  },
  closed,
);
export type PolicyRule = Static<typeof PolicyRule>;

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The hours of a week in which people work. */
export const WorkingHours = Type.Object(
  {
    /** The name of a time zone of the IANA database, such as `Europe/Berlin`. */
    zone: Type.String({ minLength: 1, maxLength: 64 }),
    days: Type.Array(Type.Enum([...WEEKDAYS]), { minItems: 1, maxItems: 7 }),
    from: Type.String({ pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" }),
    /** `24:00` is the end of the day. */
    to: Type.String({ pattern: "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" }),
  },
  closed,
);
export type WorkingHours = Static<typeof WorkingHours>;

export const HITL_MODES = ["auto", "required"] as const;
export type HitlMode = (typeof HITL_MODES)[number];

/** The content of the file that `APPROVAL_POLICY_FILE` names. It can only add to the requirements of the tools' definitions. */
export const ApprovalPolicyFile = Type.Object(
  {
    /** The version of this format. */
    version: Type.Literal(1),
    /** `required` means that every write needs a person. The default is `auto`, by the tier. */
    hitlMode: Type.Optional(Type.Enum([...HITL_MODES])),
    /** The tools whose writes always need a person. */
    writeTools: Type.Optional(Tools),
    hours: Type.Optional(
      Type.Unsafe<Readonly<Record<string, WorkingHours>>>({
        type: "object",
        maxProperties: 16,
        propertyNames: Name,
        additionalProperties: WorkingHours,
      }),
    ),
    tiers: Type.Optional(
      Type.Object(
        {
          low: Type.Optional(PolicyNeeds),
          medium: Type.Optional(PolicyNeeds),
          high: Type.Optional(PolicyNeeds),
          critical: Type.Optional(PolicyNeeds),
        },
        closed,
      ),
    ),
    rules: Type.Optional(Type.Array(PolicyRule, { maxItems: 200 })),
  },
  closed,
);
export type ApprovalPolicyFile = Static<typeof ApprovalPolicyFile>;

export const parseApprovalPolicyFile = parser(ApprovalPolicyFile);
