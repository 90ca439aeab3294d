import { counted, type ToolDefinition } from "@toolbus/contracts";
import { isFiller, termsIn } from "@toolbus/models";

/** The number of names that a summary lists. */
const MOST_NAMES = 8;
/** The number of words that say what the tools are about. */
const MOST_SUBJECTS = 5;
const LONGEST_SUBJECT = 24;

/**
 * Summarises a service from the names and descriptions of its tools: how many there are, the words that most of them have in common in the order of the alphabet, and their names.
 * The same tools always give the same summary. Single words of a description are in it, but no sentence, so a foreign server cannot put an
 * instruction into it.
 */
export function summaryOf(tools: readonly Pick<ToolDefinition, "name" | "description">[]): string {
  const names = tools.slice(0, MOST_NAMES).map(({ name }) => name);
  const more = tools.length > MOST_NAMES ? `, and ${tools.length - MOST_NAMES} more` : "";
  const subjects = subjectsOf(tools);
  const about = subjects.length === 0 ? "" : ` about ${subjects.join(", ")}`;
  return `${counted(tools.length, "tool")}${about}: ${names.join(", ")}${more}`;
}

/**
 * Returns the most frequent words that occur in the descriptions of at least two tools. Words with the same root count as one. They are in the order of
 * the alphabet, so a server cannot arrange them.
 */
function subjectsOf(tools: readonly Pick<ToolDefinition, "name" | "description">[]): readonly string[] {
  const found = new Map<string, { readonly word: string; tools: number }>();
  for (const { description } of tools) {
    const words = new Map([...termsIn(description).forms].filter(([word]) => isSubject(word)).map(([word, root]) => [root, word]));
    for (const [root, word] of words) {
      const one = found.get(root);
      if (one) one.tools += 1;
      else found.set(root, { word, tools: 1 });
    }
  }
  return [...found.values()]
    .filter((one) => one.tools > 1)
    .toSorted((a, b) => b.tools - a.tools || (a.word < b.word ? -1 : 1))
    .slice(0, MOST_SUBJECTS)
    .map(({ word }) => word)
    .toSorted();
}

function isSubject(word: string): boolean {
  return word.length >= 3 && word.length <= LONGEST_SUBJECT && /^\p{L}+$/u.test(word) && !isFiller(word) && !OF_EVERY_TOOL.has(word);
}

/** Words that the descriptions of most tools have, whatever the tool does. */
const OF_EVERY_TOOL: ReadonlySet<string> = new Set(
  "allows args argument arguments default example false given input list lists name null number object optional output parameter parameters provided required result results return returns specific specified string tool true type use used user uses using value values".split(
    " ",
  ),
);
