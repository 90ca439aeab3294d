import { KINDS, type Kind, type KindName, type Shape } from "../shape.ts";

/** The choice for a part that allows several types, because a vendor accepts only one. */
export interface Choice {
  /** The chosen type. Null means any value, written as JSON text. */
  readonly kind: KindName | null;
  /** The types that are no longer accepted. */
  readonly left: readonly KindName[];
}

/**
 * Chooses the type with the most rules. The order is an object with listed properties, a typed list, a string, a number, a boolean. Giving up the
 * other types is safe, because the tool's own schema accepts all remaining values. If every type is allowed and no word applies to a single type, the
 * value is written as JSON text and no type is given up. The type null is never chosen, so the caller must check for it.
 */
export function chooseKind({ kinds, opaque }: Shape): Choice {
  const present = KINDS.filter((name) => name !== "null" && kinds[name] !== undefined);
  const [only] = present;
  if (opaque !== null || only === undefined) return { kind: null, left: [] };
  if (present.length === 1) return { kind: only, left: [] };
  const untyped = present.length === KINDS.length - 1;
  const said = present.filter((name) => kinds[name]?.said);
  if (untyped && said.length === 0) return { kind: null, left: [] };
  const candidates = untyped ? said : present;
  const best = candidates.reduce((one, other) => (rank(other, kinds[other]) > rank(one, kinds[one]) ? other : one));
  // An author who writes "properties" without a type means an object. So only types to which a word of the schema applies count as given up.
  return { kind: best, left: candidates.filter((name) => name !== best) };
}

function rank(name: KindName, kind: Kind | undefined): number {
  if (!kind) return -1;
  // A type with limits ranks higher, because an author writes limits for the intended type.
  return plainRank(name, kind) + (kind.said && name !== "object" && name !== "array" ? 1.5 : 0);
}

function plainRank(name: KindName, kind: Kind): number {
  switch (name) {
    case "object":
      return kind.members.properties.size > 0 ? 8 : kind.members.others ? 4.5 : 2;
    case "array":
      return kind.items && kind.items.kinds.string?.said !== undefined ? 7 : 1.5;
    case "string":
      return kind.values && kind.values.list.length <= 2 ? 3 : 6;
    case "number":
      return kind.values ? 3.5 : 5;
    case "boolean":
      return 2.5;
    default:
      return 0;
  }
}
