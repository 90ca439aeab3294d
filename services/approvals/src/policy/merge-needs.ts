import type { ApprovalPolicyFile, PolicyNeeds } from "@toolbus/contracts";
import { durationMs } from "./duration.ts";

/** What a write needs by its tier and by every rule that applies. */
export interface MergedNeeds {
  readonly approvers: number;
  readonly from: readonly (readonly string[])[];
  readonly groups: Readonly<Record<string, number>>;
  readonly tickets: readonly string[];
  readonly expiryMs: number | null;
  readonly remindPercent: number | null;
  readonly hours: NonNullable<ApprovalPolicyFile["hours"]>[string] | null;
  readonly escalate: PolicyNeeds["escalate"] | null;
}

/**
 * Merges needs. All demands on the approvers apply together. The larger number counts, and an approver satisfies every list. For the time, rules take
 * precedence over the tier. The shortest time of the rules counts. For every other field, the first rule that sets it counts.
 */
export function mergeNeeds(
  byTier: PolicyNeeds | undefined,
  byRules: readonly PolicyNeeds[],
  { hours: named = {} }: Pick<ApprovalPolicyFile, "hours">,
): MergedNeeds {
  const all = [...(byTier ? [byTier] : []), ...byRules];
  const groups: Record<string, number> = {};
  for (const needs of all)
    for (const [group, count] of Object.entries(needs.groups ?? {}))
      groups[group] = Math.max(count, Object.hasOwn(groups, group) ? (groups[group] ?? 0) : 0);
  const inGroups = Object.values(groups).reduce((sum, count) => sum + count, 0);
  const times = byRules.flatMap(({ expires }) => (expires === undefined ? [] : [durationMs(expires)]));
  const expiryMs = times.length > 0 ? Math.min(...times) : byTier?.expires === undefined ? null : durationMs(byTier.expires);
  const hours = first(({ hours: name }) => name);
  return {
    approvers: Math.max(inGroups, 0, ...all.map(({ approvers = 0 }) => approvers)),
    from: all.flatMap(({ from }) => (from ? [from] : [])),
    groups,
    tickets: [...new Set(all.flatMap(({ ticket }) => ticket ?? []))],
    expiryMs,
    remindPercent: first(({ remind }) => remind) ?? null,
    hours: hours !== undefined && Object.hasOwn(named, hours) ? (named[hours] ?? null) : null,
    escalate: first(({ escalate }) => escalate) ?? null,
  };

  function first<T>(of: (needs: PolicyNeeds) => T | undefined): T | undefined {
    return [...byRules, ...(byTier ? [byTier] : [])].map(of).find((value) => value !== undefined);
  }
}
