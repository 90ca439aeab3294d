import { isFiller, stem } from "@toolbus/models";

/** The verbs of each kind of action, as the names of tools and people use them. A tool with verbs of two kinds has both kinds. */
const KINDS = [
  "create add new make insert append register post write",
  "delete remove drop erase clear purge destroy uninstall kill wipe",
  "get read retrieve fetch show view list find search query lookup describe explain count what which who where when how why",
  "update edit change modify set patch rename move write",
].map((line) => new Set(line.split(" ").map(stem)));

/** Other words with which people ask for each kind. They begin the name of no tool of this kind, or of tools of several kinds. */
const ASKED = [
  "put jot import raise record leave upload write save attach file open",
  "forget rid trash unlink cancel",
  "look check give see display read search browse count dig sum calculate",
  "mark replace bump complete reopen close assign put reassign tick correct turn rewrite raise lower adjust fix",
].map((line, n) => new Set([...line.split(" ").map(stem), ...(KINDS[n] ?? [])]));

const READ = 2;
/** A clause says its action in one of its first words that say something. */
const FIRST_WORDS = 3;
/** The number of clauses of a message that are read. What follows explains the task. */
const CLAUSES = 3;
const QUESTION_KINDS = 1 << READ;

/** Verbs that remove something. */
const REMOVALS: ReadonlySet<string> = new Set([...(KINDS[1] ?? []), ...["discard", "forget"].map(stem)]);
const QUESTIONS: ReadonlySet<string> = new Set("which what who whose where when why how is are was were does did do has have".split(" "));
const BEFORE_A_QUESTION: ReadonlySet<string> = new Set("ok so and hey hi hello".split(" "));

/** Returns the kinds of action that these words say, as bits. */
export function kindsOf(roots: Iterable<string>): number {
  return bitsOf(KINDS, roots);
}

/** Returns the kinds of action that a message asks for, as bits. `clauses` has the words of its parts, and `hints` the words that people leave out. */
export function askedKinds(clauses: readonly (readonly string[])[], hints: readonly string[]): number {
  return clauses.slice(0, CLAUSES).reduce((kinds, words) => kinds | kindsOfClause(words), bitsOf(ASKED, hints.map(stem)));
}

function kindsOfClause(words: readonly string[]): number {
  if (isQuestion(words)) return QUESTION_KINDS;
  const first = words.filter((word) => !isFiller(word)).slice(0, FIRST_WORDS);
  return first.map((word) => bitsOf(ASKED, [stem(word)])).find((kinds) => kinds !== 0) ?? 0;
}

function bitsOf(kinds: readonly ReadonlySet<string>[], roots: Iterable<string>): number {
  let bits = 0;
  for (const root of roots) for (const [n, verbs] of kinds.entries()) if (verbs.has(root)) bits |= 1 << n;
  return bits;
}

/** Returns whether one of these words removes something. */
export function removes(roots: Iterable<string>): boolean {
  return [...roots].some((root) => REMOVALS.has(root));
}

/** Returns whether these words of a message are a question, which only a tool that reads can answer. */
function isQuestion(words: readonly string[]): boolean {
  return QUESTIONS.has(words.find((word) => !BEFORE_A_QUESTION.has(word)) ?? "");
}
