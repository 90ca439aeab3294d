import { type Json, type JsonObject, parser, SecurityEventView } from "@toolbus/contracts";
import { SECURITY_LOG } from "./security.ts";

/**
 * Returns an entry of a service's security log as approvals shows it, or null if it is not one. Agents and workers record a `reason` and name the call.
 * Each reason why a worker refuses a grant is shown as the kind `grant_refused`. `details` then has the reason as `why`, and the service that recorded
 * the event as `recordedBy`. Everybody with that service's login can write its log, so only known fields are shown, and texts are cut.
 */
export function securityEventIn(
  value: Json,
  { shard, service }: { readonly shard: string; readonly service: string },
): SecurityEventView | null {
  if (!isObject(value)) return null;
  const parsed = parse({ ...(service === SECURITY_LOG ? value : asRecorded(value, service)), shard });
  return parsed.ok ? parsed.value : null;
}

function asRecorded(entry: JsonObject, recordedBy: string): JsonObject {
  const { at = null, reason = null, source } = entry;
  const kind = typeof reason === "string" ? cut(reason) : null;
  const isOwnKind = kind !== null && OWN_KINDS.test(kind);
  const details = Object.fromEntries(SHOWN.flatMap((name) => (isPlain(entry[name]) ? [[name, cut(entry[name])]] : [])));
  return {
    at,
    kind: isOwnKind ? kind : kind && "grant_refused",
    by: typeof source === "string" ? cut(source) : recordedBy,
    details: { recordedBy, ...(isOwnKind ? {} : { why: kind }), ...details },
  };
}

// These reasons are kinds of their own. Every other reason is one why a grant was refused.
const OWN_KINDS = /^(?:conflict|(?:ledger|era|decision|answer)_[a-z_]+)$/;

const SHOWN = ["callId", "tool", "toolset", "detail", "messageId", "key", "leftOut", "overMs"] as const;
const LONGEST = 300;

function isPlain(part: Json | undefined): part is string | number {
  return typeof part === "string" || typeof part === "number";
}

function cut<T extends string | number>(part: T): T | string {
  return typeof part === "string" ? part.slice(0, LONGEST) : part;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const parse = parser(SecurityEventView);
