/** Returns whether two values are the same JSON. The order of fields does not matter. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const one = Object.entries(a).filter(([, value]) => value !== undefined);
  const other = new Map(Object.entries(b).filter(([, value]) => value !== undefined));
  return one.length === other.size && one.every(([name, value]) => other.has(name) && same(value, other.get(name)));
}
