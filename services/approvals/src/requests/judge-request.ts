import {
  APPROVERS_NEEDED,
  type ApprovalRequest,
  approvalIdOf,
  assessRisk,
  atLeast,
  callParts,
  checkArguments,
  definitionFault,
  describeProblems,
  type JsonObject,
  ORIGIN_KEPT_MS,
  type Pin,
  quarantineSentence,
  renderEffect,
  type RiskAssessment,
  rightsFault,
  rootRunId,
  type RunOrigin,
  type Taint,
  type ToolDefinition,
  visible,
} from "@toolbus/contracts";
import { argumentsHash, canonicalJson, parseCanonicalArguments } from "@toolbus/grants";
import type { Facts, Holding, Terms } from "../machine/approval.ts";
import { grantFault } from "../answers/grant-claims.ts";
import { pinFault, pinnedTier } from "../pins/pin-rules.ts";
import { judgePolicy, type PolicyDefaults } from "../policy/judge-policy.ts";
import type { Policy } from "../policy/policy.ts";
import { decidedBy } from "./policy.ts";
import { NOBODY_ASKED } from "./unasked.ts";

/**
 * The facts by which a request is judged. The origin shows who asked, because the agent's word is not trusted. The pin has the definition that is
 * shown and granted.
 */
export interface Case {
  readonly request: ApprovalRequest;
  /** The agent that waits for the answer. */
  readonly agent: string;
  readonly correlationId: string;
  readonly origin: RunOrigin | null;
  readonly pin: Pin | null;
  /** Why nobody could learn the outcome of such a write, or null. */
  readonly answerFault: string | null;
  /** The policy in use, and what applies if it says nothing. */
  readonly policy: Policy;
  readonly defaults: PolicyDefaults;
  readonly now: number;
}

export interface Judgement {
  readonly facts: Facts;
  readonly holding: Holding;
  readonly terms: Terms;
}

/** The size of the largest approval, in bytes of JSON. The rest of a document's 64 KiB is for decisions and their comments. */
export const MAX_APPROVAL_BYTES = 40 * 1024;

/**
 * Returns who decides about this request: policy, people, or nobody because something about the request is wrong. In the last case, the reason is a
 * sentence for the model, and only a hash of the untrusted arguments is stored.
 */
export function judgeRequest(asked: Case): Judgement {
  const fault = originFault(asked) ?? pinFault(asked.pin, asked.request) ?? asked.answerFault;
  if (fault !== null || !asked.pin || !asked.origin) return refused(asked, fault ?? "It cannot be judged.");
  const { definition } = asked.pin;
  // The definition may have been pinned before approvals checked definitions for this fault.
  const quarantined = definitionFault(definition);
  if (quarantined !== null) return refused(asked, `${quarantineSentence(definition, quarantined)} Continue without it.`);
  if (asked.request.toolVersion !== definition.version)
    return refused(asked, `"${definition.name}" is enabled in version ${definition.version}, not ${asked.request.toolVersion}.`);
  const right = rightsFault(asked.origin, { name: definition.name, toolset: asked.pin.toolset, scopes: definition.scopes });
  if (right !== null) return refused(asked, right);
  const args = canonicalArguments(definition, asked.request.arguments);
  if (!args.ok) return refused(asked, args.fault);
  const { toolset } = asked.pin;
  const {
    tier,
    reasons,
    need,
    expiresAt,
    terms: policy,
  } = judgePolicy(
    asked.policy,
    {
      tool: definition.name,
      toolset,
      source: definition.source,
      tenant: asked.origin.tenant,
      arguments: args.value,
      risk: afterUntrusted(asked.request.taint, raisedRisk(asked.pin, assessRisk(definition, args.value))),
      now: asked.now,
      latest: asked.origin.createdAt + ORIGIN_KEPT_MS - EXECUTE_MS,
    },
    asked.defaults,
  );
  const facts: Facts = {
    ...known(asked),
    toolset,
    arguments: asked.request.arguments,
    tier,
    reasons: [...reasons],
    idempotency: definition.idempotency.mode,
    effect: renderEffect(definition, args.value).slice(0, MAX_EFFECT),
    ...(asked.request.taint === undefined ? {} : { taint: asked.request.taint }),
  };
  if (Buffer.byteLength(JSON.stringify(facts)) > MAX_APPROVAL_BYTES)
    return refused(asked, "The arguments are too long for an approver to judge. Split the write into smaller ones.");
  const unsignable = grantFault({ ...facts, need, decisions: [] });
  if (unsignable !== null) return refused(asked, `No grant can be issued for this write: ${unsignable}.`);
  return { facts, holding: { by: decidedBy(need) }, terms: { need, expiresAt, policy, plans: definition.plan === true } };
}

/** Raises the tier of a call to the lowest tier that an operator allows for the tool. */
export function raisedRisk(pin: Pin, { tier, reasons }: RiskAssessment): RiskAssessment {
  const least = pinnedTier(pin);
  if (atLeast(tier, least)) return { tier, reasons };
  return { tier: least, reasons: [...reasons, `an operator raised the tool to the tier "${least}"`] };
}

/**
 * Raises the tier of a call to high if its run has read untrusted content, because that content may have told the model to ask for the write. The
 * agent reports this content itself, so a report may only raise a tier.
 */
function afterUntrusted(taint: Taint | undefined, { tier, reasons }: RiskAssessment): RiskAssessment {
  if (taint === undefined) return { tier, reasons };
  const tools = [...new Set(taint.sources.map(({ tool }) => `"${visible(tool)}"`))].join(", ");
  return { tier: atLeast(tier, "high") ? tier : "high", reasons: [...reasons, `the run has read untrusted content from ${tools}`] };
}

// An approved write has this long to begin. The gateway still knows the run then.
const EXECUTE_MS = 86_400_000;

// The longest effect that fits on a card. The card shows the full arguments next to the effect.
export const MAX_EFFECT = 2000;

function originFault({ request, origin, now }: Case): string | null {
  const { runId } = callParts(request.toolCallId);
  if (!origin || origin.runId !== rootRunId(runId)) return NOBODY_ASKED;
  if (now >= origin.openUntil) return "The request behind this run is too old for a write. The person has to ask again.";
  if (request.sessionId !== origin.conversationId) return "The session is not the one of the request behind this run.";
  return null;
}

type Arguments = { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly fault: string };

/**
 * Returns the arguments if they are canonical, obey the pinned schema and are complete. No default is filled in, because that would change the write
 * that is granted.
 */
function canonicalArguments(definition: ToolDefinition, text: string): Arguments {
  const parsed = parseCanonicalArguments(text);
  if (!parsed.ok) return { ok: false, fault: `The arguments are not canonical JSON: ${describeProblems(parsed.problems)}.` };
  const problems = checkArguments(definition, parsed.value);
  if (problems.length > 0)
    return { ok: false, fault: `The arguments break the schema of "${definition.name}": ${describeProblems(problems)}.` };
  if (canonicalJson(parsed.value) !== text)
    return { ok: false, fault: `The arguments of "${definition.name}" lack defaults of its schema.` };
  return parsed;
}

function refused(asked: Case, reason: string): Judgement {
  const facts: Facts = {
    ...known(asked),
    toolset: asked.pin?.toolset ?? "",
    arguments: "",
    tier: "high",
    reasons: [],
    idempotency: "none",
    effect: "",
  };
  const policy = { version: asked.policy.version, rules: [] };
  return { facts, holding: { by: "refused", reason }, terms: { need: APPROVERS_NEEDED.high, expiresAt: asked.now, policy } };
}

/**
 * Returns the facts that do not depend on the judgement. If the requester is unknown, the tenant is empty. An empty tenant matches no tenant, so
 * nobody can read the approval.
 */
function known({ request, agent, correlationId, origin }: Case) {
  const { toolCallId: callId, toolName, toolVersion, toolHash } = request;
  const { runId } = callParts(callId);
  return {
    approvalId: approvalIdOf(callId),
    callId,
    correlationId,
    runId,
    conversationId: request.sessionId,
    tenant: origin?.tenant ?? "",
    requester: origin?.principal ?? "",
    agent,
    toolName,
    toolVersion,
    toolHash,
    argsHash: argumentsHash(request.arguments),
  };
}
