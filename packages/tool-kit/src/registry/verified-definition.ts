import { isDeepStrictEqual } from "node:util";
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
  if (before && isDeepStrictEqual(before, definition)) return before;
  if (!hasToolHash(definition, hash)) return null;
  const [oldest] = known.keys();
  if (known.size >= MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  known.set(hash, definition);
  return definition;
}
