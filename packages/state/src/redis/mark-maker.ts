const MARK_CHARACTERS = 8;
const MARKS_AT_ONCE = 128;
// Base64 writes three bytes as four characters.
const BYTES_AT_ONCE = (MARK_CHARACTERS * MARKS_AT_ONCE * 3) / 4;

/**
 * Returns a function that makes marks of 48 random bits, in eight characters each. It draws many at once, because asking the system for six bytes
 * costs as much as asking for hundreds.
 */
export function markMaker(random: (bytes: number) => Uint8Array): () => string {
  let drawn = "";
  let used = 0;
  return () => {
    if (used === drawn.length) {
      drawn = Buffer.from(random(BYTES_AT_ONCE)).toString("base64url");
      used = 0;
    }
    used += MARK_CHARACTERS;
    return drawn.slice(used - MARK_CHARACTERS, used);
  };
}
