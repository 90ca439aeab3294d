import {
  type Approval,
  assessRisk,
  atLeast,
  checkArguments,
  type Json,
  type JsonObject,
  type Pin,
  type Problem,
  renderEffect,
} from "@toolbus/contracts";
import { argumentsHash, canonicalJson, parseCanonicalArguments } from "@toolbus/grants";
import { askedOf, type Edit, MAX_EDITS, withEdit } from "../machine/edited.ts";
import { hasDrifted } from "../machine/planned.ts";
import { judgePolicy, type PolicyDefaults } from "../policy/judge-policy.ts";
import type { Policy } from "../policy/policy.ts";
import { peopleIn, stricterTerms } from "../policy/stricter-terms.ts";
import { MAX_APPROVAL_BYTES, MAX_EFFECT, raisedRisk } from "../requests/judge-request.ts";

/** An edit that may be approved, or why it may not be. If the arguments are those on the card, there is nothing to change, and the edit is null. */
export type JudgedEdit =
  | { readonly ok: true; readonly edit: Edit | null }
  | { readonly ok: false; readonly reason: string; readonly problems: readonly Problem[] };

/** The policy in use, what applies if the policy says nothing, and the time. They decide how an edit is judged. */
export interface EditRules {
  readonly policy: Policy;
  readonly defaults: PolicyDefaults;
  readonly now: number;
}

/**
 * Judges the arguments that an approver sent instead of those on the card. The schema of the pinned definition checks them and fills in its defaults.
 * The agent does the same with a model's arguments. Definition and policy may raise the tier and add approvers. They never lower or remove anything.
 */
export function judgeEdit(approval: Approval, pin: Pin, sent: JsonObject, { policy, defaults, now }: EditRules): JudgedEdit {
  const { definition } = pin;
  const args = structuredClone(sent);
  const problems = checkArguments(definition, args);
  if (problems.length > 0) return no(`The edited arguments break the schema of "${definition.name}".`, problems);
  const text = canonicalText(args);
  const parsed = text === null ? null : parseCanonicalArguments(text);
  if (text === null || !parsed?.ok) return no("The edited arguments have no canonical form.", parsed?.ok === false ? parsed.problems : []);
  const hidden = hiddenPlaces(args, askedOf(approval).arguments);
  if (hidden.length > 0)
    return no(
      "The edited arguments contain the placeholder of a value that the card does not show.",
      hidden.map((path) => ({ path, message: "is a placeholder, not the value" })),
    );
  const argsHash = argumentsHash(text);
  if (argsHash === approval.argsHash) return { ok: true, edit: null };
  if (hasDrifted(approval)) return no("A worker has begun this write, so its arguments cannot change any more.", []);
  if ((approval.earlier?.length ?? 0) >= MAX_EDITS) return no(`The arguments were changed ${MAX_EDITS} times, the maximum.`, []);
  const risk = raisedRisk(pin, assessRisk(definition, args));
  const { toolset, tenant, tier: before } = approval;
  const asked = { tool: definition.name, toolset, source: definition.source, tenant, arguments: args, now, latest: now };
  const judged = judgePolicy(policy, { ...asked, risk: { ...risk, tier: atLeast(before, risk.tier) ? before : risk.tier } }, defaults);
  const raises = !atLeast(before, judged.tier);
  const terms = stricterTerms(approval.policy, judged.terms);
  const edit: Edit = {
    arguments: text,
    argsHash,
    effect: renderEffect(definition, args).slice(0, MAX_EFFECT),
    tier: judged.tier,
    reasons: raises ? [...new Set([...judged.reasons, ...approval.reasons])] : approval.reasons,
    need: Math.max(approval.need, judged.need, peopleIn(terms)),
    policy: terms,
  };
  const { decisions: _, ...kept } = withEdit(approval, edit, { by: "", at: 0 });
  if (Buffer.byteLength(JSON.stringify(kept)) > MAX_APPROVAL_BYTES)
    return no("The edited arguments are too long to be kept beside those that were asked for.", []);
  return { ok: true, edit };
}

/** Returns the hash of the arguments as they were sent, or null if they have no canonical form. A repeat of the decision has the same hash. */
export function sentHash(sent: JsonObject): string | null {
  const text = canonicalText(sent);
  return text === null ? null : argumentsHash(text);
}

function canonicalText(value: Json): string | null {
  try {
    return canonicalJson(value);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}

/** Returns the places of strings that have the placeholder of a removed credential, unless the agent's own arguments have it. */
function hiddenPlaces(args: JsonObject, asked: string): readonly string[] {
  return asked.includes(PLACEHOLDER)
    ? []
    : Object.entries(args).flatMap(([name, value]) => (JSON.stringify(value).includes(PLACEHOLDER) ? [`/${name}`] : []));
}

/** The text with which a view replaces a credential. */
const PLACEHOLDER = "[redacted]";

function no(reason: string, problems: readonly Problem[]): JudgedEdit {
  return { ok: false, reason, problems };
}
