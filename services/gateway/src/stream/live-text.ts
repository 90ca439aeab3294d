import { type ArgumentsDelta, isJsonObject, type Json, type TextDelta, type TextReset } from "@toolbus/contracts";

/** Which text a viewer is sent while a round is written: every delta once and in order, and none of a round whose turn is there. */
export interface LiveText {
  /** What to send for this delta: nothing if it is repeated or too late; first a reset if another epoch writes the round again. */
  take(delta: TextDelta): readonly (TextDelta | TextReset)[];
  /** The same for arguments, which count within their call: a repeat is harmless, so only late ones are dropped. */
  takeArguments(delta: ArgumentsDelta): readonly (ArgumentsDelta | TextReset)[];
  /** The turn of this round is known: it contains all its deltas. */
  turned(round: number): void;
}

/** `turns` is the last round whose turn was stored before the viewer came, -1 when there is none. */
export function liveText(turns: number): LiveText {
  let last = { epoch: 0, round: -1, offset: -1 };
  return {
    take(delta) {
      const { epoch, round, offset } = delta;
      if (round <= turns || epoch < last.epoch) return [];
      // Recent events that are read may already have been received live.
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

/** A live batch parsed as a delta; null for anything else, which must not break the feed of all viewers. */
export function deltaOf(batch: Json): TextDelta | null {
  if (!isJsonObject(batch)) return null;
  const { epoch, round, offset, after, text } = batch;
  if (!isCount(epoch) || !isCount(round) || !isCount(offset) || !isCount(after) || typeof text !== "string") return null;
  return { type: "delta", epoch, round, offset, after, text };
}

/** A live batch parsed as arguments; null for anything else. */
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
