/** The indent of every further part of a line, so that no part looks like the beginning of a line. */
const HANG = "    ";

/** An id, which people copy, stays whole. */
const ID = /^[\w.:-]{1,64}$/;

/** Characters that a terminal shows in two columns. An ambiguous one counts as one, as most terminals show it. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;

/**
 * Breaks a line so that no part takes more than `columns` columns, between words if it can. Every further part is indented by four more columns. So a
 * text in a frame cannot leave the frame, and cannot imitate a line of it. Only an id may be longer.
 */
export function fitted(text: string, columns: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? "";
  const room = Math.max(1, columns - indent.length - HANG.length);
  const parts: string[] = [];
  let current = "";
  let taken = 0;
  for (const word of text.slice(indent.length).split(" ")) {
    for (const [n, piece] of pieces(word, room).entries()) {
      const size = columnsOf(piece);
      const limit = parts.length === 0 ? room + HANG.length : room;
      // A piece of a broken word begins a part, because a space before it would change the word.
      if (n > 0 || (current !== "" && taken + 1 + size > limit)) {
        parts.push(current);
        [current, taken] = [piece, size];
      } else {
        taken += current === "" ? size : 1 + size;
        current = current === "" ? piece : `${current} ${piece}`;
      }
    }
  }
  return [...parts, current].map((part, n) => `${indent}${n === 0 ? "" : HANG}${part}`);
}

function pieces(word: string, columns: number): string[] {
  if (columnsOf(word) <= columns || ID.test(word)) return [word];
  const found: string[] = [];
  let piece = "";
  let taken = 0;
  for (const character of word) {
    const size = columnsOf(character);
    if (taken + size > columns) {
      found.push(piece);
      [piece, taken] = ["", 0];
    }
    piece += character;
    taken += size;
  }
  return [...found, piece];
}

function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += WIDE.test(character) ? 2 : 1;
  return columns;
}
