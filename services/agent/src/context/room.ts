import type { Unit } from "./units.ts";

/** How much of a conversation fits: both limits hold. */
export interface Room {
  readonly tokens: number;
  /** Entries of the transcript; infinite without a limit. */
  readonly messages: number;
}

/** The size of the selected units. */
export function sizeOf(units: readonly Unit[], selected: readonly boolean[]): Room {
  let tokens = 0;
  let messages = 0;
  units.forEach((unit, n) => {
    if (!selected[n]) return;
    tokens += unit.tokens;
    messages += unit.entries.length;
  });
  return { tokens, messages };
}

export function fits(size: Room, room: Room): boolean {
  return size.tokens <= room.tokens && size.messages <= room.messages;
}

/** The room with at least as many messages as are required: a limit in messages makes a window short and never fails a run. */
export function withRequired(room: Room, units: readonly Unit[], required: readonly boolean[]): Room {
  return { tokens: room.tokens, messages: Math.max(room.messages, sizeOf(units, required).messages + 1) };
}
