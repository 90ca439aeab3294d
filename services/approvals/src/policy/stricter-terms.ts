import type { ApprovalTerms } from "@toolbus/contracts";

/**
 * Returns terms that demand everything that both demand. They are for a write whose arguments an approver changed, so a change never removes a
 * demand. The times of the reminder and of the escalation stay, because they were set when the write began to wait.
 */
export function stricterTerms(before: ApprovalTerms | undefined, after: ApprovalTerms): ApprovalTerms {
  const from = distinct([...(before?.from ?? []), ...(after.from ?? [])]);
  const tickets = distinct([...(before?.tickets ?? []), ...(after.tickets ?? [])]);
  const groups: Record<string, number> = { ...before?.groups };
  for (const [group, count] of Object.entries(after.groups ?? {}))
    groups[group] = Math.max(count, Object.hasOwn(groups, group) ? (groups[group] ?? 0) : 0);
  const { remindAt, escalateAt, escalateTo } = before ?? {};
  return {
    version: after.version,
    rules: distinct([...(before?.rules ?? []), ...after.rules]),
    ...(from.length > 0 ? { from } : {}),
    ...(Object.keys(groups).length > 0 ? { groups } : {}),
    ...(tickets.length > 0 ? { tickets } : {}),
    ...(remindAt === undefined ? {} : { remindAt }),
    ...(escalateAt === undefined ? {} : { escalateAt }),
    ...(escalateTo === undefined ? {} : { escalateTo }),
  };
}

/** Returns how many people the groups of these terms need together. */
export function peopleIn({ groups = {} }: Pick<ApprovalTerms, "groups">): number {
  return Object.values(groups).reduce((sum, count) => sum + count, 0);
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
