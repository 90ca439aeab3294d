import type { Fault } from "./loss.ts";
import type { Kind, KindName, Members } from "./shape.ts";

/** Returns the reason why the type allows no value, or null if it may allow one. */
export function emptiness(name: KindName, kind: Kind, at: string): Fault | null {
  if (kind.values && kind.values.list.length === 0)
    return { pointer: at, reason: "None of the listed values is of the type; correct one of them." };
  if (name === "object") return missingMember(kind.members, at);
  const bounds = ruleOut(name, kind);
  return bounds ? { pointer: at, reason: "The bounds contradict each other, so no value is valid; correct one of them." } : null;
}

function missingMember(members: Members, at: string): Fault | null {
  for (const name of members.required) {
    const shape = members.properties.get(name);
    if (shape?.fault) return shape.fault;
    if (shape || (members.others !== false && !members.others?.fault)) continue;
    const reason = `"${name.slice(0, 80)}" is required, not listed, and "additionalProperties" rules it out; list it under "properties".`;
    return { pointer: at, reason };
  }
  return null;
}

function ruleOut(name: KindName, { words, integer }: Kind): boolean {
  const bound = (word: string) => {
    const value = words.get(word)?.value;
    return typeof value === "number" ? value : undefined;
  };
  if (name === "string") return over(bound("minLength"), bound("maxLength"), false);
  if (name === "array") return over(bound("minItems"), bound("maxItems"), false);
  if (name !== "number") return false;
  const [low, high, above, below] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map(bound);
  if (over(low, high, false) || over(above, high, true) || over(low, below, true) || over(above, below, true)) return true;
  if (!integer) return false;
  const least = Math.max(low === undefined ? -Infinity : Math.ceil(low), above === undefined ? -Infinity : Math.floor(above) + 1);
  const most = Math.min(high === undefined ? Infinity : Math.floor(high), below === undefined ? Infinity : Math.ceil(below) - 1);
  return least > most;
}

function over(low: number | undefined, high: number | undefined, touching: boolean): boolean {
  return low !== undefined && high !== undefined && (low > high || (touching && low === high));
}
