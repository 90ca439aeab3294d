/** Sizes that match no frame, no line and no character. */
const SIZES = [1, 7, 3, 64, 2, 190, 5, 31, 900, 11];

/** Splits the bytes inside frames, between CR and LF, and inside every multi-byte character. It always splits at the same places. */
export function awkwardPieces(bytes: Buffer): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let turn = 0; from < bytes.length; turn++) {
    const size = SIZES[turn % SIZES.length] ?? 1;
    const lead = leadByteIn(bytes, from, from + size);
    const end = Math.min(bytes.length, lead === null ? from + size : lead + 1);
    pieces.push(bytes.subarray(from, end));
    from = end;
  }
  return pieces;
}

/** Returns the position of the first multi-byte character in this range, or null. */
function leadByteIn(bytes: Buffer, from: number, to: number): number | null {
  for (let at = from; at < Math.min(to, bytes.length); at++) if ((bytes[at] ?? 0) >= 0xc0) return at;
  return null;
}

/** Splits a text into pieces of a few characters, as a model writes it. Surrogate pairs stay whole. */
export function textPieces(text: string, longest: number): readonly string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0, size = 1; at < characters.length; at += size, size = (size % longest) + 1) {
    pieces.push(characters.slice(at, at + size).join(""));
  }
  return pieces;
}
