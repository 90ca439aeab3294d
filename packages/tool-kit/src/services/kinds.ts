import { stem } from "@toolbus/models";

/** The verbs of each kind of action, as the names of tools and people use them. A tool with verbs of two kinds has both kinds. */
const KINDS = [
  "create add new make insert append register post",
  "delete remove drop erase clear purge destroy uninstall kill wipe",
  "get read retrieve fetch show view list find search query lookup describe explain count what which who where when how why",
  "update edit change modify set patch rename move",
].map((line) => new Set(line.split(" ").map(stem)));

const READ = 2;
/** The kinds of a question, as bits. */
export const QUESTION_KINDS = 1 << READ;

/** Verbs that remove something. */
const REMOVALS: ReadonlySet<string> = new Set([...(KINDS[1] ?? []), ...["discard", "forget"].map(stem)]);
const QUESTIONS: ReadonlySet<string> = new Set("which what who whose where when why how is are was were does did do has have".split(" "));
const BEFORE_A_QUESTION: ReadonlySet<string> = new Set("ok so and hey hi hello".split(" "));

/** Returns the kinds of action that these words say, as bits. */
export function kindsOf(roots: Iterable<string>): number {
  let kinds = 0;
  for (const root of roots) for (const [n, verbs] of KINDS.entries()) if (verbs.has(root)) kinds |= 1 << n;
  return kinds;
}

/** Returns whether one of these words removes something. */
export function removes(roots: Iterable<string>): boolean {
  return [...roots].some((root) => REMOVALS.has(root));
}

/** Returns whether these words of a message are a question, which only a tool that reads can answer. */
export function isQuestion(words: readonly string[]): boolean {
  return QUESTIONS.has(words.find((word) => !BEFORE_A_QUESTION.has(word)) ?? "");
}
