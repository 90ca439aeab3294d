import { AnswerTooLarge } from "../model-errors.ts";
import type { AnswerBounds } from "./answer-bounds.ts";

/** Inspects the next piece of an answer. Throws `AnswerTooLarge` for the piece that exceeds a limit, before any other code reads it. */
export type AnswerMeter = (piece: Uint8Array) => void;

const NEWLINE = 10;
const RETURN = 13;
const LENGTH_BYTES = 4;

/** Returns a meter for an answer in lines, in which an empty line ends an event. The answer may be server-sent events or any other text. */
export function eventMeter(bounds: AnswerBounds): AnswerMeter {
  const count = counter(bounds);
  let event = 0;
  let line = 0;
  let last = 0;
  return (piece) => {
    count.bytes(piece.length);
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, from)) {
      line += end - from;
      event += end - from + 1;
      count.eventBytes(event);
      if (line === 0 || (line === 1 && (end === 0 ? last : piece[end - 1]) === RETURN)) {
        count.event();
        event = 0;
      }
      line = 0;
      from = end + 1;
    }
    line += piece.length - from;
    event += piece.length - from;
    last = piece.at(-1) ?? last;
    count.eventBytes(event);
  };
}

/**
 * Returns a meter for an answer in frames that begin with their length (`application/vnd.amazon.eventstream`). It checks the length before the frame
 * arrives, because the frame's reader allocates that much memory at once.
 */
export function frameMeter(bounds: AnswerBounds): AnswerMeter {
  const count = counter(bounds);
  let length = 0;
  let known = 0;
  let left = 0;
  return (piece) => {
    count.bytes(piece.length);
    let at = 0;
    while (at < piece.length) {
      if (left > 0) {
        const taken = Math.min(left, piece.length - at);
        at += taken;
        left -= taken;
        continue;
      }
      length = length * 256 + (piece[at++] ?? 0);
      if (++known < LENGTH_BYTES) continue;
      count.eventBytes(length);
      count.event();
      left = Math.max(0, length - LENGTH_BYTES);
      length = 0;
      known = 0;
    }
  };
}

function counter(bounds: AnswerBounds) {
  let bytes = 0;
  let events = 0;
  return {
    bytes(more: number): void {
      bytes += more;
      if (bytes > bounds.bytes) throw new AnswerTooLarge(`is over ${bounds.bytes} bytes`, { raise: "MODEL_ANSWER_MAX_BYTES" });
    },
    event(): void {
      if (++events > bounds.events) throw new AnswerTooLarge(`has more than ${bounds.events} events`, { raise: "MODEL_ANSWER_MAX_EVENTS" });
    },
    eventBytes(size: number): void {
      if (size > bounds.eventBytes)
        throw new AnswerTooLarge(`has an event of more than ${bounds.eventBytes} bytes`, { raise: "MODEL_EVENT_MAX_BYTES" });
    },
  };
}
