/** Sizes that fit no frame, no line and no character. */
const SIZES = [1, 7, 3, 64, 2, 190, 5, 31, 900, 11];

/** The same bytes cut anywhere: inside frames, between CR and LF, and inside every character of more than one byte. Always in the same places. */
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

/** Where a character of several bytes begins. */
function leadByteIn(bytes: Buffer, from: number, to: number): number | null {
  for (let at = from; at < Math.min(to, bytes.length); at++) if ((bytes[at] ?? 0) >= 0xc0) return at;
  return null;
}

/** Text in runs of a few characters, surrogate pairs whole; as a model writes it. */
export function textPieces(text: string, longest: number): readonly string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0, size = 1; at < characters.length; at += size, size = (size % longest) + 1) {
    pieces.push(characters.slice(at, at + size).join(""));
  }
  return pieces;
}
