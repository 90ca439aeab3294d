/**
 * Groups what has an id or an alias in common, because several databases have an advisory about one vulnerability. The groups and the items in them keep
 * their order.
 */
export function sameAdvisories<T extends { readonly id: string; readonly aliases?: readonly string[] }>(
  list: readonly T[],
): readonly (readonly T[])[] {
  const groupOf = new Map<string, T[]>();
  const groups = new Set<T[]>();
  for (const item of list) {
    const names = [item.id, ...(item.aliases ?? [])].map((name) => name.toUpperCase());
    const known = [...groups].filter((group) => names.some((name) => groupOf.get(name) === group));
    const [first = [], ...others] = known;
    first.push(...others.flat(), item);
    for (const other of others) groups.delete(other);
    groups.add(first);
    for (const member of first) for (const name of [member.id, ...(member.aliases ?? [])]) groupOf.set(name.toUpperCase(), first);
  }
  return [...groups];
}
