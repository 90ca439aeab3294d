import type { Registration, ToolDefinition } from "@toolbus/contracts";
import { hasToolHash } from "@toolbus/grants";

/** The number of definitions that a process remembers. */
const MOST_KNOWN = 5000;

/** The definitions whose hash was checked, by the hash. */
const known = new Map<string, ToolDefinition>();

/**
 * Returns the definition of a registration if it has the registration's hash, else null. The registry is read at each run, and most definitions never
 * change. A definition that was checked before is compared with the earlier one, and the earlier object is returned. So its hash is not computed again,
 * and what was derived from that object, such as its form for a vendor, can be used again.
 */
export function verifiedDefinition({ definition, hash }: Pick<Registration, "definition" | "hash">): ToolDefinition | null {
  const before = known.get(hash);
  if (before && isSame(before, definition)) return before;
  if (!hasToolHash(definition, hash)) return null;
  const [oldest] = known.keys();
  if (known.size >= MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  known.set(hash, definition);
  return definition;
}

/** Returns whether two values are the same JSON. A thousand definitions are compared at each read, and a general comparison would take four times as long. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other))
    return Array.isArray(one) && Array.isArray(other) && one.length === other.length && one.every((value, n) => isSame(value, other[n]));
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return (
    names.length === others.length && names.every((name) => Object.hasOwn(other, name) && isSame(fieldOf(one, name), fieldOf(other, name)))
  );
}

function fieldOf(value: object, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name];
}
