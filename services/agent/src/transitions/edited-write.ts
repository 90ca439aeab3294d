import { type ApprovalDecided, argumentChanges, type Call, checkArguments, type JsonObject, type ToolDefinition } from "@toolbus/contracts";
import { argumentsHash, type GrantClaims, parseCanonicalArguments, parseGrantClaims } from "@toolbus/grants";
import { redactText } from "@toolbus/telemetry";
import { shortened } from "./bounded-text.ts";
import { EFFECT_BYTES } from "./planned-calls.ts";

/** The arguments that an approver set in a call, or null if nobody changed the requested ones. */
export type GrantedArguments = Pick<Call, "arguments" | "argsHash" | "effect" | "asked"> | null;

/**
 * Returns the arguments with which a granted write is executed, or "wrong" if the answer does not fit the call. Approvals signed the answer. The agent
 * still compares the grant's claims with the arguments, so that it never sends arguments that the grant does not cover.
 * `definition` is null if the agent no longer has it. Then only the worker checks the arguments.
 */
export function grantedArguments(
  call: Call,
  { arguments: edited, effect }: Pick<ApprovalDecided, "arguments" | "effect">,
  grant: string,
  definition: ToolDefinition | null,
): GrantedArguments | "wrong" {
  const claims = claimsIn(grant);
  const covers = edited === undefined ? call.argsHash : argumentsHash(edited);
  if (claims !== null && (claims.callId !== call.callId || claims.argsHash !== covers)) return "wrong";
  if (edited === undefined || covers === call.argsHash) return null;
  // The arguments of a write do not change after the write was sent. Approvals never changes a decision.
  if (claims === null || call.dispatch > 0 || call.asked !== undefined) return "wrong";
  const [before, after] = [parseCanonicalArguments(call.arguments), parseCanonicalArguments(edited)];
  if (!before.ok || !after.ok || (definition !== null && !fits(definition, after.value))) return "wrong";
  return {
    arguments: edited,
    argsHash: covers,
    ...(call.effect === undefined || effect === undefined ? {} : { effect: shortened(effect, EFFECT_BYTES) }),
    asked: { arguments: call.arguments, changes: argumentChanges(before.value, after.value, redactText) },
  };
}

function fits(definition: ToolDefinition, args: JsonObject): boolean {
  // The check fills in defaults, which must not change the arguments that were granted.
  return checkArguments(definition, structuredClone(args)).length === 0;
}

/** Returns the round of the plan that a grant covers, 0 if it covers none, or null if the text is no grant. Does not check the signature. */
export function planRoundOf(grant: string): number | null {
  const claims = claimsIn(grant);
  return claims === null ? null : (claims.plan?.round ?? 0);
}

/** Returns the claims of a grant without a check of its signature, or null if the text has none. */
function claimsIn(grant: string): GrantClaims | null {
  try {
    const parsed = parseGrantClaims(JSON.parse(Buffer.from(grant.split(".")[1] ?? "", "base64url").toString()));
    return parsed.ok ? parsed.value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
