import { atLeast, type ApprovalPolicyFile, isJsonObject, type Json, type JsonObject, type Tier, TIERS } from "@toolbus/contracts";
import { durationMs } from "./duration.ts";
import type { Policy } from "./policy.ts";

/** One difference between two policies. `effect` says whether writes need less or more than before. It is `other` if that cannot be said. */
export interface PolicyChange {
  /** The place in words, such as `rules.big-refunds.tier`. */
  readonly where: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  readonly effect: "looser" | "stricter" | "other";
}

/** Returns the differences of two policies, in the order of the file. Rules are compared by their names, so their order alone is no difference. */
export function diffPolicies(before: Policy, after: Policy): readonly PolicyChange[] {
  return changesIn("", shapeOf(before.content), shapeOf(after.content));
}

/** Rules by name, so that one more rule is one difference. */
function shapeOf({ version: _, rules = [], ...rest }: ApprovalPolicyFile): JsonObject {
  return {
    ...(rest as unknown as JsonObject),
    rules: Object.fromEntries(rules.map(({ name, ...rule }) => [name, rule as unknown as Json])),
  };
}

function changesIn(where: string, before: Json | undefined, after: Json | undefined): readonly PolicyChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const isSchema = where.endsWith(".when");
  if (before !== undefined && after !== undefined && isJsonObject(before) && isJsonObject(after) && !isSchema) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => changesIn(where === "" ? name : `${where}.${name}`, before[name], after[name]));
  }
  // A section that only one of the policies has is shown field by field. A rule is shown as a whole.
  if (SECTIONS.test(where)) return changesIn(where, before ?? {}, after ?? {});
  return [{ where, before, after, effect: effectOf(where, before, after) }];
}

const SECTIONS = /^(tiers(\.[a-z]+)?|hours|rules)$/;

function effectOf(where: string, before: Json | undefined, after: Json | undefined): PolicyChange["effect"] {
  const field = where.split(".").at(-1) ?? "";
  if (/^rules\.[^.]+$/.test(where)) return guards(before ?? after) ? (before === undefined ? "stricter" : "looser") : "other";
  if (field === "hitlMode") return after === "required" ? "stricter" : "looser";
  if (field === "tier" && isTier(before) && isTier(after)) return atLeast(after, before) ? "stricter" : "looser";
  if (field === "writeTools") return hasAll(after, before) ? "stricter" : hasAll(before, after) ? "looser" : "other";
  if (field === "approvers" || /\.groups\.[^.]+$/.test(where)) return compared(numberOf(before), numberOf(after));
  if (field === "expires" && typeof before === "string" && typeof after === "string")
    return compared(durationMs(after), durationMs(before));
  if (["ticket", "from", "groups", "tier"].includes(field) && (before === undefined || after === undefined))
    return before === undefined ? "stricter" : "looser";
  return "other";
}

function compared(before: number, after: number): PolicyChange["effect"] {
  return after > before ? "stricter" : after < before ? "looser" : "other";
}

const isTier = (value: Json | undefined): value is Tier => TIERS.some((tier) => tier === value);
const numberOf = (value: Json | undefined): number => (typeof value === "number" ? value : 0);

/** Returns whether one list has every entry of the other. */
function hasAll(list: Json | undefined, other: Json | undefined): boolean {
  const entries: readonly Json[] = Array.isArray(list) ? list : [];
  return !Array.isArray(other) || other.every((entry) => entries.includes(entry));
}

/** Returns whether a rule only adds to what writes need. A rule with a time of its own may also give people more time. */
function guards(rule: Json | undefined): boolean {
  const needs = rule !== undefined && isJsonObject(rule) ? rule["needs"] : undefined;
  return needs === undefined || !isJsonObject(needs) || !["expires", "hours"].some((field) => Object.hasOwn(needs, field));
}
