import { AnswerTooLarge } from "../model-errors.ts";
import type { AnswerBounds } from "./answer-bounds.ts";

/** Counts the calls of one turn and the size of their arguments. Both methods throw `AnswerTooLarge`. */
export interface ArgumentsMeter {
  /** Counts another call. */
  begin(): void;
  /** Counts another piece of a call's arguments. */
  take(text: string): void;
}

/**
 * The limit is many times the number of calls that a run accepts from one turn. Because of this limit, other code that loops over the calls of a turn
 * needs none.
 */
const MAX_CALLS = 256;

export function argumentsMeter({ argumentBytes }: AnswerBounds): ArgumentsMeter {
  let calls = 0;
  let bytes = 0;
  return {
    begin() {
      if (++calls > MAX_CALLS) throw new AnswerTooLarge(`has more than ${MAX_CALLS} calls`, "Look at the model or its server.");
    },
    take(text) {
      bytes += Buffer.byteLength(text);
      if (bytes > argumentBytes)
        throw new AnswerTooLarge(`has calls with more than ${argumentBytes} bytes of arguments`, { raise: "MODEL_ARGUMENTS_MAX_BYTES" });
    },
  };
}
