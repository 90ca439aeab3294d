import type { Unit } from "./units.ts";

/** The room for a conversation. Both limits apply. */
export interface Room {
  readonly tokens: number;
  /** The number of transcript entries. Infinite if there is no limit. */
  readonly messages: number;
}

/** Returns the size of the selected units. */
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

/** Raises the limit on messages until the required units fit. A limit on messages may shorten a window, but it never fails a run. */
export function withRequired(room: Room, units: readonly Unit[], required: readonly boolean[]): Room {
  return { tokens: room.tokens, messages: Math.max(room.messages, sizeOf(units, required).messages + 1) };
}
