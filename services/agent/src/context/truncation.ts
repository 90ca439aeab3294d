import { fits, type Room, sizeOf } from "./room.ts";
import type { Unit } from "./units.ts";

/** Selects the required units and the newest others that fit. Returns null if the required units alone do not fit. */
export function truncation(units: readonly Unit[], required: readonly boolean[], room: Room): readonly boolean[] | null {
  let { tokens, messages } = sizeOf(units, required);
  if (!fits({ tokens, messages }, room)) return null;
  let from = units.length;
  for (const [n, unit] of [...units.entries()].toReversed()) {
    if (!required[n]) {
      tokens += unit.tokens;
      messages += unit.entries.length;
      if (!fits({ tokens, messages }, room)) break;
    }
    from = n;
  }
  return units.map((_, n) => n >= from || required[n] === true);
}
