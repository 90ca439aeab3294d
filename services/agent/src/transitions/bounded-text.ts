import { counted } from "@toolbus/contracts";

// A log entry or a document has at most 64 KiB as stored. The text of a person or a model is only one of its fields, so this limit leaves room for
// the others.
const MAX_TEXT = 20 * 1024;

/** Shortens text until it fits into one stored entry, or into `most` bytes there. Adds a notice about the part that was left out. */
export function boundedText(text: string, most: number = MAX_TEXT): string {
  if (storedBytes(text) <= most) return text;
  let kept = text.slice(0, most);
  while (storedBytes(kept) > most - 100) kept = kept.slice(0, Math.floor(kept.length * 0.9));
  return `${kept.toWellFormed()}\n[${counted(text.length - kept.length, "character")} left out]`;
}

/** Shortens one line of a list to at most `most` stored bytes. An ellipsis replaces what does not fit. */
export function shortened(text: string, most: number): string {
  if (storedBytes(text) <= most) return text;
  let kept = text.slice(0, most);
  while (storedBytes(`${kept}…`) > most) kept = kept.slice(0, -1);
  return `${kept.toWellFormed()}…`;
}

/** Returns the size of a text inside stored JSON, where quotes and line ends take more than one byte. */
export function storedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
