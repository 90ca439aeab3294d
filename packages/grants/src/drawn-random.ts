import { randomBytes } from "node:crypto";

/** The number of bytes in one read. It is enough for about a hundred ids or secrets. */
const DRAWN_AT_ONCE = 4096;

/**
 * Returns a source of the system's cryptographic randomness. It reads 4 KiB at a time, because a read for each id would cost several times as much as
 * the rest of the id. Every byte is returned once, and no buffer is filled again.
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
