import type { ToolDefinition } from "@toolbus/contracts";
import { coverageOf, scored, stem, synonymsOf, termsIn } from "@toolbus/models";

export type ToolWords = Pick<ToolDefinition, "name" | "description">;

const UNASKED_REMOVAL = 0.6;
/** The weights of the two kinds of coverage, against a score without any. */
const NAME_WEIGHT = 1;
const QUERY_WEIGHT = 4;

/**
 * Ranks tools by the match between their names and descriptions and a message, best first. The base is Okapi BM25. It is raised for a tool that has most
 * of the message's words, and for a tool whose name the message explains. It is lowered for a tool that removes something if the message asks for no
 * removal. Tools with equal scores stay in their order.
 */
export function rankTools<T>(tools: readonly T[], wordsOf: (tool: T) => ToolWords, message: string): readonly T[] {
  const coverage = coverageOf(message);
  const asksForRemoval = removes(message);
  const text = (tool: T): string => toolText(wordsOf(tool));
  return scored(tools, text, message)
    .map(({ item, score }) => {
      if (score === 0) return { item, score };
      const name = ownName(wordsOf(item).name);
      const covered = coverage(name, text(item));
      const unasked = !asksForRemoval && removes(name) ? UNASKED_REMOVAL : 1;
      return { item, score: unasked * score * (1 + NAME_WEIGHT * covered.name) * (1 + QUERY_WEIGHT * covered.query) };
    })
    .toSorted((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

function removes(text: string): boolean {
  return [...termsIn(text).forms.values()].some((root) => REMOVALS.has(root));
}

const REMOVALS: ReadonlySet<string> = new Set(["delete", "kill", "uninstall"].flatMap((word) => [stem(word), ...synonymsOf(stem(word))]));

/** Returns the text by which a search finds a tool. */
export function toolText({ name, description }: ToolWords): string {
  return `${name}\n${description}`;
}

/** Returns the name without that of the server, which all tools of the server have. */
function ownName(name: string): string {
  return name.slice(name.indexOf("__") + 1);
}
