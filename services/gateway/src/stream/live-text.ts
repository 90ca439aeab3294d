import { type ArgumentsDelta, isJsonObject, type Json, type TextDelta, type TextReset } from "@toolbus/contracts";

/**
 * Decides which text a viewer receives while a model writes a round. The viewer gets every delta once and in order, and no delta of a round whose
 * turn is stored.
 */
export interface LiveText {
  /**
   * Returns what to send for this delta. The result is empty if the delta is repeated or too late. If another epoch writes the round again, the
   * result begins with a reset.
   */
  take(delta: TextDelta): readonly (TextDelta | TextReset)[];
  /**
   * Returns what to send for a delta of arguments. Only late deltas are dropped. A repeated delta is harmless, because it names the call and the
   * members that it sets.
   */
  takeArguments(delta: ArgumentsDelta): readonly (ArgumentsDelta | TextReset)[];
  /** Records that the turn of this round is stored. The turn contains all its deltas. */
  turned(round: number): void;
}

/** `turns` is the last round whose turn was stored before the viewer connected, or -1 if there is none. */
export function liveText(turns: number): LiveText {
  let last = { epoch: 0, round: -1, offset: -1 };
  return {
    take(delta) {
      const { epoch, round, offset } = delta;
      if (round <= turns || epoch < last.epoch) return [];
      // A delta among the recent events may already have arrived live.
      if (epoch === last.epoch && round === last.round && offset <= last.offset) return [];
      const anew = round === last.round && epoch > last.epoch;
      last = { epoch, round, offset };
      return anew ? [{ type: "reset", epoch, round }, delta] : [delta];
    },
    takeArguments(delta) {
      const { epoch, round } = delta;
      if (round <= turns || epoch < last.epoch) return [];
      const anew = round === last.round && epoch > last.epoch;
      if (anew || round !== last.round) last = { epoch, round, offset: -1 };
      return anew ? [{ type: "reset", epoch, round }, delta] : [delta];
    },
    turned(round) {
      turns = Math.max(turns, round);
    },
  };
}

/** Returns a live batch as a delta, or null for anything else. Other content must not break the feed of all viewers. */
export function deltaOf(batch: Json): TextDelta | null {
  if (!isJsonObject(batch)) return null;
  const { epoch, round, offset, after, text } = batch;
  if (!isCount(epoch) || !isCount(round) || !isCount(offset) || !isCount(after) || typeof text !== "string") return null;
  return { type: "delta", epoch, round, offset, after, text };
}

/** Returns a live batch as arguments, or null for anything else. */
export function argumentsOf(batch: Json): ArgumentsDelta | null {
  if (!isJsonObject(batch)) return null;
  const { type, epoch, round, after, index, tool, members } = batch;
  if (type !== "arguments" || !isCount(epoch) || !isCount(round) || !isCount(after) || !isCount(index)) return null;
  if (typeof tool !== "string" || !isJsonObject(members)) return null;
  return { type, epoch, round, after, index, tool, members };
}

function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
