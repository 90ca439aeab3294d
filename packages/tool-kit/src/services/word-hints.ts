import { stem, type WordWeight } from "@toolbus/models";
import { hintsIn } from "./hints.ts";

/** A message as the rank reads it. */
export interface ReadMessage {
  /** The words to search with, with the hints at the end. */
  readonly text: string;
  /** The words that count less than others, by their roots: hints and data. */
  readonly weights: ReadonlyMap<string, WordWeight>;
  /** The words of each clause without quotes, in lower case. */
  readonly clauses: readonly (readonly string[])[];
  /** Words that people leave out, such as "file" if the message has the name of one. */
  readonly hints: readonly string[];
  /** Words with a capital letter, in lower case. They may be the short name of a server. */
  readonly names: readonly string[];
}

/** The number of characters of a message that are read for hints. */
const MOST_READ = 20_000;
/** The number of characters of a message that are read for phrases and clauses. */
const MOST_PHRASES = 2000;

const HINT: WordWeight = { score: 1, covered: 0.7 };
/** Quoted words, numbers, paths, and names of files are what a tool works with. They say little about which tool it is. */
const DATA: WordWeight = { score: 0.5, covered: 0.5 };
const QUOTES = /"[^"]{1,2000}"|(?<![\p{L}\p{N}])'[^']{1,2000}'(?![\p{L}\p{N}])/gu;

/** Endings of names of hosts. "example.com" is no file. */
const HOSTS: ReadonlySet<string> = new Set("com org net io dev".split(" "));
/** Objects of JavaScript. "document.title" is no file. */
const OBJECTS: ReadonlySet<string> = new Set("document window console".split(" "));

/**
 * Reads a message. A web address is replaced by the word "url", because its parts say nothing about a tool. Words that people leave out because a thing or
 * a phrase says them itself are added.
 */
export function readMessage(message: string): ReadMessage {
  const words = message.slice(0, MOST_READ).split(/\s+/);
  const read = words.map((word) => (/^["'(<]?https?:\/\//i.test(word) ? "url" : word));
  const start = read.join(" ");
  const said = message.slice(0, MOST_PHRASES).replaceAll(QUOTES, " ");
  const files = new Set(read.filter(namesFile));
  const hints = [...(files.size > 0 ? ["file"] : []), ...(files.size > 1 ? ["multiple"] : []), ...hintsIn(said)];
  const isData = (word: string): boolean => files.has(word) || /^["'(]?~?\/\w/.test(word);
  const data = [...read.filter(isData), ...(start.match(QUOTES) ?? [])].flatMap(wordsOf);
  const numbers = wordsOf(start).filter((word) => /^\d+$/.test(word));
  const plain = wordsOf(
    read
      .filter((word) => !isData(word))
      .join(" ")
      .replaceAll(QUOTES, " "),
  ).map(stem);
  return {
    text: [start + message.slice(MOST_READ), ...hints].join(" "),
    weights: weightsOf([...data, ...numbers].map(stem), hints.map(stem), new Set(plain)),
    clauses: said
      .split(/[.;:!?\n]+(?=\s|$)/)
      .map(wordsOf)
      .filter((clause) => clause.length > 0),
    hints,
    names: [...new Set(said.match(/\b[A-Z][a-z]{4,}/g))].map((name) => name.toLowerCase()),
  };
}

function weightsOf(data: readonly string[], hints: readonly string[], plain: ReadonlySet<string>): ReadonlyMap<string, WordWeight> {
  const weights = new Map(hints.filter((root) => !plain.has(root)).map((root) => [root, HINT]));
  for (const root of data) if (/^\d+$/.test(root) || !plain.has(root)) weights.set(root, DATA);
  return weights;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function namesFile(word: string): boolean {
  const { name = "", ending } = /^["'(]?(?<name>[\w/-]{1,200})\.(?<ending>[a-z][a-z0-9]{0,4})["'),:;?!.]{0,3}$/i.exec(word)?.groups ?? {};
  return ending !== undefined && !HOSTS.has(ending.toLowerCase()) && !OBJECTS.has(name);
}
