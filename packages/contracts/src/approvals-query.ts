import { Type } from "./schema.ts";
import { APPROVAL_OUTCOMES } from "./messages.ts";
import { declaredQuery } from "./parse.ts";

/** The statuses by which approvals can be listed. */
export const APPROVAL_STATUSES = ["pending", ...APPROVAL_OUTCOMES, "all"] as const;
export type ApprovalListStatus = (typeof APPROVAL_STATUSES)[number];

/** The forms of a time in a query. */
const SINCE = /^(?:\d{1,15}|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2}))$/;

/** Reads a time as RFC 3339 or as milliseconds since 1970, and returns the milliseconds. Returns null for anything else. */
export function parseTime(text: string): number | null {
  if (!SINCE.test(text)) return null;
  const ms = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** The beginning of an approval's id, or a whole one. */
export const APPROVAL_PREFIX =
  /^ap_(?:r|rn|rn_|rn_[0-9a-f]|rn_[0-9a-f]{2}(?:_[0-9A-HJKMNP-TV-Z]{0,26}|_[0-9A-HJKMNP-TV-Z]{26}[0-9.~]{1,80})?)?$/;

/** The query of `GET /v1/approvals`. */
export const approvalsQuery = declaredQuery(
  "ApprovalsQuery",
  Type.Object(
    {
      status: Type.Optional(
        Type.Enum([...APPROVAL_STATUSES], {
          default: "pending",
          description:
            "Only approvals with this status. With `all`, those that wait come first and those that have ended follow, both newest first.",
        }),
      ),
      since: Type.Optional(
        Type.String({
          pattern: SINCE.source,
          description:
            "Only those that were asked for (`pending`) or have ended (all others) at this time or later: RFC 3339, or milliseconds since 1970.",
        }),
      ),
      tool: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "Only writes of this tool." })),
      requester: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Only writes that this principal asked for." })),
      id: Type.Optional(
        Type.String({
          pattern: APPROVAL_PREFIX.source,
          description:
            "Only approvals whose ids begin like this. `ap_` and the id of a run selects the approvals of the run and its sub-runs.",
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "How many approvals at most." })),
      cursor: Type.Optional(Type.String({ maxLength: 2000, description: "The `cursor` of the previous page." })),
    },
    { additionalProperties: false },
  ),
);
