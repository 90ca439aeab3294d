/**
 * Makes characters of external text visible that no reader can see. Control characters could hide text, and bidirectional marks could reorder it.
 * Line feeds and tabs become spaces, because every place that shows such a text is one line.
 */
export function visibleText(text: string): string {
  return text
    .replace(/\r\n|[\n\t]/g, " ")
    .replace(UNSEEN, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
}

const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
