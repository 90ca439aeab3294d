import type { Json } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";

/** The first place where a replay said something else than the log. */
export interface Difference {
  readonly where: "event" | "transcript";
  /** The number of the event, or of the entry of the run, from 1. */
  readonly number: number;
  /** What the log has, or null if the log has nothing there. */
  readonly expected: Json | null;
  /** What the replay has, or null if it has nothing there. */
  readonly got: Json | null;
  /** The member that differs, such as `usage.inputTokens`. Empty if a whole one is missing. */
  readonly member: string;
}

/** Returns the first of these values that is not byte-equal in canonical JSON, or null. */
export function firstDifference(where: Difference["where"], expected: readonly Json[], got: readonly Json[]): Difference | null {
  for (let n = 0; n < Math.max(expected.length, got.length); n++) {
    const [one, other] = [expected[n] ?? null, got[n] ?? null];
    if (canonicalJson(one) !== canonicalJson(other))
      return { where, number: n + 1, expected: one, got: other, member: memberOf(one, other) };
  }
  return null;
}

/** Returns the path of the first member that differs. */
export function memberOf(one: Json, other: Json): string {
  if (!isObject(one) || !isObject(other)) return "";
  for (const name of Object.keys({ ...one, ...other }).toSorted()) {
    const [a, b] = [one[name], other[name]];
    if (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b)) continue;
    if (a === undefined || b === undefined) return name;
    const inner = memberOf(a, b);
    return inner === "" ? name : `${name}.${inner}`;
  }
  return "";
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null;
}
