import { matchesOf, meantBy, stem, synonymsOf } from "@toolbus/models";
import { askedKinds, removes } from "./kinds.ts";
import { factsOf, type NameWord, type ToolFacts, type ToolWords } from "./tool-facts.ts";
import { type ReadMessage, readMessage } from "./word-hints.ts";

// Decision 0105 says how these numbers were chosen.
const NAME_WEIGHT = 1.5;
const QUERY_WEIGHT = 6;
const SERVER_WEIGHT = 2;
const UNASKED_REMOVAL = 0.6;
const OTHER_KIND = 0.6;
/** What a word of a name counts if the message has another form of it, its long form, or a synonym. */
const FORM = 0.6;
const LONG_FORM = 0.9;
const SYNONYM = 0.6;
/** What a verb of a name counts if it is a synonym and says the kind of action that the message asks for, and if it only says this kind. */
const VERB_SYNONYM = 0.8;
const VERB = 0.3;

/**
 * Ranks tools by the match between their names and descriptions and a message, best first. The base is Okapi BM25. It is raised for a tool that has most
 * of the message's words, whose name the message explains, or whose server the message names. It is lowered for a tool that does something else than the
 * message asks for, and for a tool that removes something if the message asks for no removal. Tools with equal scores stay in their order.
 */
export function rankTools<T>(tools: readonly T[], wordsOf: (tool: T) => ToolWords, message: string): readonly T[] {
  const { facts, terms } = factsOfAll(tools, wordsOf);
  const read = readMessage(message);
  const { scores, covered, words } = matchesOf(terms, read.text, read.weights);
  const asked = askedBy(words, read);
  const matched: number[] = [];
  const others: T[] = [];
  for (const [n, tool] of facts.entries()) {
    const score = scores[n] ?? 0;
    if (score > 0) {
      matched.push(n);
      scores[n] = score * factorOf(tool, covered[n] ?? 0, asked);
    } else others.push(tools[n] as T);
  }
  matched.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  return [...matched.map((n) => tools[n] as T), ...others];
}

interface AllFacts {
  readonly wordsOf: unknown;
  readonly facts: readonly ToolFacts[];
  readonly terms: readonly ToolFacts["terms"][];
}

// While the registry is the same, the agent ranks the same list for each run.
const known = new WeakMap<readonly unknown[], AllFacts>();

function factsOfAll<T>(tools: readonly T[], wordsOf: (tool: T) => ToolWords): AllFacts {
  const before = known.get(tools);
  if (before?.wordsOf === wordsOf) return before;
  const facts = tools.map((tool) => factsOf(wordsOf(tool)));
  const made: AllFacts = { wordsOf, facts, terms: facts.map((one) => one.terms) };
  known.set(tools, made);
  return made;
}

/** What a message asks for. */
interface Asked {
  readonly words: ReadonlySet<string>;
  readonly roots: ReadonlySet<string>;
  readonly longForms: ReadonlySet<string>;
  readonly synonyms: ReadonlySet<string>;
  readonly names: readonly string[];
  readonly kinds: number;
  readonly removes: boolean;
}

function askedBy(all: readonly string[], { clauses, hints, names }: ReadMessage): Asked {
  const words = new Set(all);
  const roots = new Set([...words].map(stem));
  return {
    words,
    roots,
    longForms: new Set([...words].flatMap(meantBy).map(stem)),
    synonyms: new Set([...roots].flatMap(synonymsOf)),
    names,
    kinds: askedKinds(clauses, hints),
    removes: removes([...clauses.flat(), ...hints].map(stem)),
  };
}

function factorOf(tool: ToolFacts, covered: number, asked: Asked): number {
  const name = mean(tool.name, (word) => partOf(word, asked));
  const server = mean(tool.server, (root) => (isNamed(root, asked) ? 1 : 0));
  const isOther = tool.kinds !== 0 && asked.kinds !== 0 && (tool.kinds & asked.kinds) === 0;
  return (
    (1 + NAME_WEIGHT * name) *
    (1 + QUERY_WEIGHT * covered ** 2) *
    (1 + SERVER_WEIGHT * server) *
    (isOther ? OTHER_KIND : 1) *
    (tool.removes && !asked.removes ? UNASKED_REMOVAL : 1)
  );
}

/** Returns whether the message has a word of a server's name, or the beginning of one, such as "Elastic" for "elasticsearch". */
function isNamed(root: string, asked: Asked): boolean {
  return asked.roots.has(root) || asked.longForms.has(root) || asked.names.some((name) => root.startsWith(name));
}

/** Returns how well the message has a word of a name, from 0 to 1. */
function partOf({ root, forms, kinds }: NameWord, asked: Asked): number {
  if (asked.roots.has(root)) return forms.some((form) => asked.words.has(form)) ? 1 : FORM;
  if (asked.longForms.has(root)) return LONG_FORM;
  const isAsked = (kinds & asked.kinds) !== 0;
  if (asked.synonyms.has(root)) return isAsked ? VERB_SYNONYM : SYNONYM;
  return isAsked ? VERB : 0;
}

function mean<T>(items: readonly T[], valueOf: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += valueOf(item);
  return sum / Math.max(1, items.length);
}
