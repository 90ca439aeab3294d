import { counted } from "@toolbus/contracts";

// What a person or a model says is one field of a log entry or a document, 64 KiB at most as it is stored; this much leaves room for the rest.
const MAX_TEXT = 20 * 1024;

/** Text that fits into one stored entry, or takes `most` bytes there, with a notice of what was left out. */
export function boundedText(text: string, most: number = MAX_TEXT): string {
  if (storedBytes(text) <= most) return text;
  let kept = text.slice(0, most);
  while (storedBytes(kept) > most - 100) kept = kept.slice(0, Math.floor(kept.length * 0.9));
  return `${kept.toWellFormed()}\n[${counted(text.length - kept.length, "character")} left out]`;
}

/** One line of a list, of `most` stored bytes at most; an ellipsis stands for what does not fit. */
export function shortened(text: string, most: number): string {
  if (storedBytes(text) <= most) return text;
  let kept = text.slice(0, most);
  while (storedBytes(`${kept}…`) > most) kept = kept.slice(0, -1);
  return `${kept.toWellFormed()}…`;
}

/** The size of a text inside stored JSON, where quotes and line ends take more than one byte. */
export function storedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
