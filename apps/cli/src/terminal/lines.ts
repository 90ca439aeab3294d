/** The maximum width of a line of output, in characters. */
export const WIDTH = 100;

/** Returns the width of a terminal. Returns the maximum width if the output does not go to a terminal, or if the terminal is very narrow. */
export function terminalWidth({ isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number }): number {
  return isTTY === true && columns !== undefined && columns >= NARROWEST ? columns : WIDTH;
}

const NARROWEST = 40;

/** Returns one line of at most `width` characters. Line breaks become spaces, and a text that is too long ends in "…". */
export function cut(text: string, width: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
}

/** Breaks multi-line text at words, each line separately. */
export function paragraphs(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapped(line, width));
}

/**
 * Breaks a line between words, and indents every part like the first. A word that is longer than a line stays whole, because users copy ids. A line
 * break becomes a space, because a text of a model or of a service could otherwise imitate another line of the output.
 */
export function wrapped(line: string, width: number): string[] {
  const text = line.replaceAll(/\s*\n\s*/g, " ");
  const indent = /^ */.exec(text)?.[0] ?? "";
  const lines: string[] = [];
  let current = indent;
  for (const word of text.slice(indent.length).split(" ")) {
    if (current.trim() !== "" && current.length + 1 + word.length > width) {
      lines.push(current);
      current = indent;
    }
    current = current.trim() === "" ? current + word : `${current} ${word}`;
  }
  return [...lines, current];
}
