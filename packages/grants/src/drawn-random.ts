import { randomBytes } from "node:crypto";

/** Larger than any id or secret: enough for about a hundred of them. */
const DRAWN_AT_ONCE = 4096;

/**
 * The system's cryptographic randomness, read some kilobytes at a time, because a read for each id would cost several times the id. Every byte is
 * returned once, and a buffer is never filled again.
 */
export function drawnRandom(): (bytes: number) => Uint8Array {
  let drawn = new Uint8Array(0);
  let used = 0;
  return (bytes) => {
    if (bytes > DRAWN_AT_ONCE) return randomBytes(bytes);
    if (used + bytes > drawn.length) {
      drawn = randomBytes(DRAWN_AT_ONCE);
      used = 0;
    }
    used += bytes;
    return drawn.subarray(used - bytes, used);
  };
}
