import { createHash } from "node:crypto";

/** Identifies a signature without keeping its text. Spaces and commas at the end do not count. */
export function signatureOf(text: string): string {
  const plain = text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/,\s*([)\]}])/g, "$1")
    .replaceAll(/\s*([(),:=<>[\]{}|*])\s*/g, "$1")
    .trim();
  return createHash("sha256").update(plain).digest("hex").slice(0, 16);
}

/** Returns the text from the parenthesis at `open` to the one that closes it, at most `most` characters. */
export function parenthesised(text: string, open: number, most = 3000): string {
  let depth = 0;
  const end = Math.min(text.length, open + most);
  for (let at = open; at < end; at++) {
    const letter = text[at];
    if (letter === "(" || letter === "[" || letter === "{") depth++;
    else if (letter === ")" || letter === "]" || letter === "}") depth--;
    if (depth === 0) return text.slice(open, at + 1);
  }
  return text.slice(open, end);
}
