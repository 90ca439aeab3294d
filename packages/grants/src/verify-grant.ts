import { atLeast, GRANT_ISSUER, grantAudience, type GrantClaims, type Json, type Tier } from "@toolbus/contracts";
import { GRANT_TYPE, parseGrantClaims } from "./grant.ts";
import { openJws, type UnsignedReason } from "./jws.ts";
import type { KeySet } from "./key-set.ts";

/** The facts that a worker knows about the call that it should run. None of them come from the grant. */
export interface ExpectedGrant {
  readonly toolset: string;
  readonly callId: string;
  readonly tool: string;
  readonly toolVersion: string;
  readonly toolHash: string;
  /** The hash of the arguments, as the worker canonicalised them. */
  readonly argsHash: string;
  /** The tier in the worker's own definition. `need` is the number of approvers for this tier. */
  readonly tier: Tier;
  readonly need: number;
  /** True if the worker's own definition offers plans. People then always approve a plan. */
  readonly plans?: boolean;
  /** The tenant of the worker. It is given only if the worker serves a single tenant. */
  readonly tenant?: string;
}

export interface GrantInput {
  /** The text of the grant, or undefined if the message has none. */
  readonly grant: string | undefined;
  /** The keys of approvals, and of no other service. */
  readonly keys: KeySet;
  /** The time of the store's clock, in milliseconds. */
  readonly now: number;
  readonly era: number;
  /** The largest allowed difference between the clocks, in milliseconds. The default is 30 seconds. */
  readonly skewMs?: number;
  readonly expected: ExpectedGrant;
}

/** The reason why a grant for this call cannot be used now. The agent may ask for another grant. */
export type StaleReason = "expired" | "era" | "tool_hash" | "unknown_key";

/** The reason why the worker drops a write without an answer. */
export type ForgedReason =
  | "missing"
  | UnsignedReason
  | "claims"
  | "audience"
  | "not_yet_valid"
  | "call"
  | "tenant"
  | "tool"
  | "arguments"
  | "insufficient"
  | "self_approval";

/** The verdict on a grant. `detail` is for the security event. It names ids, hashes and counts, never arguments or the grant. */
export type GrantVerdict =
  | { readonly kind: "granted"; readonly claims: GrantClaims }
  | { readonly kind: "stale"; readonly reason: StaleReason; readonly detail: string }
  | { readonly kind: "forged"; readonly reason: ForgedReason; readonly detail: string };

/**
 * Judges whether a grant permits this write. The checks have this order: presence, header, signature, claims, issuer and audience, not-before, call,
 * tenant, tool, arguments, expiry, era, definition, tier, approvers. Never rejects, whatever a sender puts into a grant.
 *
 * - `granted`: every check passed.
 * - `stale`: the grant is for exactly this call, these arguments and this toolset. But it is expired, of another era, for another version of the
 *   tool, or signed with an unknown key. With an unknown key the signature could not be checked, but the answer "ask again" reveals nothing.
 * - `forged`: the grant has any other fault. Except for the tier and the approvers, this fault outweighs staleness, so an expired grant for another
 *   call is forged. A grant that is not valid yet is also forged, because approvals never signs a grant in advance. Asking again could not fix a
 *   wrong clock, but a later dispatch may succeed.
 */
export async function verifyGrant(input: GrantInput): Promise<GrantVerdict> {
  const { grant, keys, expected } = input;
  if (!grant) return forged("missing", `the write ${expected.callId} carries no grant`);
  const opened = await openJws(GRANT_TYPE, grant, keys);
  switch (opened.kind) {
    case "refused":
      return forged(opened.reason, opened.detail);
    case "unknown_key":
      return judgeUnproven(opened.payload, opened.kid, expected);
    case "opened":
      return judge(opened.payload, input);
  }
}

/**
 * Returns a verdict on a grant that is missing, malformed or wrongly signed. Such a grant is forged for every call, time and era. Returns null if
 * `verifyGrant` must judge the grant. This check needs only the keys, so a flood of forged calls causes no read of the store. A valid signature is
 * remembered.
 */
export async function plainlyForged(grant: string | undefined, keys: KeySet): Promise<Forged | null> {
  if (!grant) return forged("missing", "the call carries no grant");
  const opened = await openJws(GRANT_TYPE, grant, keys);
  return opened.kind === "refused" ? forged(opened.reason, opened.detail) : null;
}

/** Judges a payload whose key is unknown. It is forged if it is not for this call. Otherwise it is stale, so that the agent asks again. */
function judgeUnproven(payload: Json, kid: string, expected: ExpectedGrant): GrantVerdict {
  const claims = claimsOf(payload);
  if ("kind" in claims) return claims;
  return addressFault(claims, expected) ?? bindingFault(claims, expected) ?? stale("unknown_key", `the key ${kid} is not known`);
}

function judge(payload: Json, input: GrantInput): GrantVerdict {
  const { expected } = input;
  const claims = claimsOf(payload);
  if ("kind" in claims) return claims;
  const address = addressFault(claims, expected);
  if (address) return address;
  const time = timeFault(claims, input);
  if (time?.kind === "forged") return time;
  const fault = bindingFault(claims, expected);
  if (fault) return fault;
  // A changed definition may require a higher tier or more approvers than the grant has. That is no attack, so staleness is checked before tier and
  // approvers.
  return (
    time ??
    eraFault(claims, input.era) ??
    definitionFault(claims, expected) ??
    approvalFault(claims, expected) ?? { kind: "granted", claims }
  );
}

function claimsOf(payload: Json): GrantClaims | Forged {
  const parsed = parseGrantClaims(payload);
  if (parsed.ok) return parsed.value;
  // The schema's messages may quote text of the sender, so only the paths are named.
  return forged(
    "claims",
    `these are not the claims of a grant: ${parsed.problems
      .map(({ path }) => path || "/")
      .join(", ")
      .slice(0, 200)}`,
  );
}

function addressFault({ iss, aud }: GrantClaims, { toolset }: ExpectedGrant): Forged | null {
  if (iss === GRANT_ISSUER && aud === grantAudience(toolset)) return null;
  return forged("audience", `issued by ${iss} for ${aud}, expected ${GRANT_ISSUER} for ${grantAudience(toolset)}`);
}

function timeFault({ iat, nbf, exp }: GrantClaims, { now, skewMs = 30_000 }: GrantInput): Forged | Stale | null {
  // Each comparison states the condition of success, so that a clock that is not a number grants nothing.
  const from = Math.max(iat, nbf) * 1000;
  if (!(now + skewMs >= from)) return forged("not_yet_valid", `valid ${from - now} ms from now`);
  const until = exp * 1000;
  return now - skewMs < until ? null : stale("expired", `expired ${now - until} ms ago`);
}

function eraFault(claims: GrantClaims, era: number): Stale | null {
  return claims.era === era ? null : stale("era", `of era ${claims.era}, now is era ${era}`);
}

/** Checks that the grant is for this call, tenant, tool and arguments. A grant that passes this check can only be out of date or insufficient. */
function bindingFault(claims: GrantClaims, expected: ExpectedGrant): Forged | null {
  if (claims.callId !== expected.callId) return forged("call", `for call ${claims.callId}, not ${expected.callId}`);
  if (expected.tenant !== undefined && claims.tenant !== expected.tenant)
    return forged("tenant", `for tenant ${claims.tenant}, not ${expected.tenant}`);
  if (claims.tool !== expected.tool) return forged("tool", `for tool ${claims.tool}, not ${expected.tool}`);
  if (claims.argsHash !== expected.argsHash) return forged("arguments", `for arguments ${claims.argsHash}, not ${expected.argsHash}`);
  return null;
}

function definitionFault(claims: GrantClaims, { toolVersion, toolHash }: ExpectedGrant): Stale | null {
  if (claims.toolVersion === toolVersion && claims.toolHash === toolHash) return null;
  return stale("tool_hash", `for ${claims.tool} ${claims.toolVersion} ${claims.toolHash}, here is ${toolVersion} ${toolHash}`);
}

/** Checks the tier and the approvers. The worker does not rely on the judgement of approvals, because its own definition sets the minimum. */
function approvalFault(claims: GrantClaims, expected: ExpectedGrant): Forged | null {
  if (!atLeast(claims.tier, expected.tier))
    return forged("insufficient", `granted as ${claims.tier}, the worker's tier is ${expected.tier}`);
  const distinct = new Set(claims.approvers.map(({ sub }) => sub)).size;
  const need = Math.max(claims.need, expected.need);
  if (!(distinct >= need)) return forged("insufficient", `${distinct} distinct approvers, ${need} are needed`);
  if (expected.plans === true && distinct > 0 && claims.plan === undefined)
    return forged("insufficient", "people approved it, and it covers no plan");
  if (claims.approvers.some(({ sub }) => sub === claims.requester))
    return forged("self_approval", `${claims.requester} approved their own request`);
  return null;
}

type Stale = Extract<GrantVerdict, { kind: "stale" }>;
type Forged = Extract<GrantVerdict, { kind: "forged" }>;

function stale(reason: StaleReason, detail: string): Stale {
  return { kind: "stale", reason, detail };
}

function forged(reason: ForgedReason, detail: string): Forged {
  return { kind: "forged", reason, detail };
}
