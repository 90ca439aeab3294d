/** Makes the ids of traces and spans, as hex digits. */
export interface SpanIds {
  trace(): string;
  span(): string;
}

/** Random bytes are taken in portions, because a single call costs more than all else about an id. A portion is small, because an id keeps it alive. */
const PORTION_BYTES = 2048;
const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

export function spanIds(random: (bytes: number) => Buffer): SpanIds {
  let digits = "";
  let at = 0;
  return { trace: () => taken(TRACE_DIGITS), span: () => taken(SPAN_DIGITS) };

  function taken(count: number): string {
    if (at + count > digits.length) {
      digits = random(PORTION_BYTES).toString("hex");
      at = 0;
    }
    const id = digits.slice(at, at + count);
    at += count;
    // An id of zeros alone is not valid.
    return id.charCodeAt(0) === ZERO && NOTHING_BUT_ZEROS.test(id) ? taken(count) : id;
  }
}

const ZERO = "0".charCodeAt(0);
const NOTHING_BUT_ZEROS = /^0+$/;
