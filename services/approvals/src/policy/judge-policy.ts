import {
  APPROVERS_NEEDED,
  type ApprovalTerms,
  atLeast,
  foreignSchema,
  type JsonObject,
  newSteps,
  type PolicyRule,
  type RiskAssessment,
  type Steps,
  type Tier,
} from "@toolbus/contracts";
import { type MergedNeeds, mergeNeeds } from "./merge-needs.ts";
import type { Policy } from "./policy.ts";
import { afterWorkingTime } from "./working-hours.ts";

/** A call that policy judges. `risk` is what the pinned definition and the operator's tier demand. */
export interface PolicyCase {
  readonly tool: string;
  readonly toolset: string;
  /** The source of the definition: a toolset, or `mcp:<server>`. */
  readonly source: string;
  readonly tenant: string;
  readonly arguments: JsonObject;
  readonly risk: RiskAssessment;
  readonly now: number;
  /** The time after which nobody can decide, because the record of who asked is no longer kept. */
  readonly latest: number;
}

/** What applies if the policy says nothing. */
export interface PolicyDefaults {
  readonly expiryMs: number;
  readonly remindPercent: number;
}

export interface PolicyJudgement extends RiskAssessment {
  /** The number of distinct approvers. With 0, policy grants the write. */
  readonly need: number;
  readonly expiresAt: number;
  readonly terms: ApprovalTerms;
}

/**
 * Judges a call. The tier is never lower than `risk` says, and the number of approvers never lower than the tier's own. A rule whose condition cannot
 * be judged applies. The answer depends on nothing but the arguments of this function.
 */
export function judgePolicy({ version, content }: Policy, asked: PolicyCase, defaults: PolicyDefaults): PolicyJudgement {
  const { rules = [], tiers = {}, writeTools = [], hitlMode } = content;
  let tier: Tier = asked.risk.tier;
  const reasons = [...asked.risk.reasons];
  const raise = (to: Tier, reason: string): void => {
    if (atLeast(to, tier)) tier = to;
    reasons.push(reason);
  };
  if (hitlMode === "required") raise("high", "every write needs a person");
  if (writeTools.length > 0 && isFor(writeTools, asked)) raise("high", `"${asked.tool}" always needs a person`);
  // All rules together share the step limit of one check, as the rules of a definition do.
  const steps = newSteps();
  const applied = new Set<PolicyRule>();
  for (const rule of rules) {
    if (rule.tiers !== undefined || !applies(rule, asked, steps)) continue;
    applied.add(rule);
    if (rule.tier !== undefined) raise(rule.tier, rule.reason ?? `the policy's rule "${rule.name}"`);
  }
  // A rule for some tiers is judged when the tier is known, and raises nothing.
  for (const rule of rules) if (rule.tiers?.includes(tier) === true && applies(rule, asked, steps)) applied.add(rule);
  const inOrder = rules.filter((rule) => applied.has(rule));
  const needs = mergeNeeds(
    tiers[tier],
    inOrder.flatMap(({ needs: own }) => own ?? []),
    content,
  );
  const need = Math.max(APPROVERS_NEEDED[tier], needs.approvers);
  const named = { version, rules: inOrder.map(({ name }) => name) };
  const risk = { tier, reasons: reasons.slice(0, MOST_REASONS) };
  if (need === 0) return { ...risk, need, expiresAt: asked.now, terms: named };
  const expiryMs = needs.expiryMs ?? defaults.expiryMs;
  const end = afterWorkingTime(asked.now, expiryMs, needs.hours);
  const expiresAt = Math.min(end, Math.max(asked.latest, asked.now + LEAST_MS));
  return { ...risk, need, expiresAt, terms: { ...named, ...termsOf(needs), ...timesOf(needs, expiryMs, expiresAt) } };

  function timesOf({ remindPercent, escalate, hours }: MergedNeeds, ms: number, until: number): Partial<ApprovalTerms> {
    const at = (percent: number): number => afterWorkingTime(asked.now, Math.round((ms * percent) / 100), hours);
    const remind = remindPercent ?? defaults.remindPercent;
    const remindAt = remind > 0 ? at(remind) : null;
    const escalateAt = escalate ? at(escalate.after) : null;
    return {
      ...(remindAt !== null && remindAt < until ? { remindAt } : {}),
      ...(escalate && escalateAt !== null && escalateAt < until ? { escalateAt, escalateTo: [...escalate.to] } : {}),
    };
  }
}

/** A card shows at most this many reasons. */
const MOST_REASONS = 24;
const LEAST_MS = 60_000;

function termsOf({ from, groups, tickets }: MergedNeeds): Partial<ApprovalTerms> {
  return {
    ...(from.length > 0 ? { from: from.map((list) => [...list]) } : {}),
    ...(Object.keys(groups).length > 0 ? { groups } : {}),
    ...(tickets.length > 0 ? { tickets: [...tickets] } : {}),
  };
}

function applies({ tools, tenants, when }: PolicyRule, asked: PolicyCase, steps: Steps): boolean {
  if (tools !== undefined && !isFor(tools, asked)) return false;
  if (tenants !== undefined && !tenants.includes(asked.tenant)) return false;
  if (when === undefined) return true;
  const schema = foreignSchema(when);
  // The check applies defaults in place, so it gets a copy.
  return !schema.ok || schema.judge(structuredClone(asked.arguments), steps) !== "breaks";
}

/** Returns whether a list of tools, toolsets and sources has the tool. */
function isFor(tools: readonly string[], { tool, toolset, source }: PolicyCase): boolean {
  return tools.some((entry) => entry === tool || entry === `toolset:${toolset}` || entry === `source:${source}`);
}
