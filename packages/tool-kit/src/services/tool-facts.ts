import type { ToolDefinition } from "@toolbus/contracts";
import { type Terms, termsIn } from "@toolbus/models";
import { kindsOf, removes } from "./kinds.ts";

// Decision 0105 says how these numbers were chosen.
const NAME_WEIGHT = 1.5;
const FIRST_WEIGHT = 1.25;
const REST_WEIGHT = 0.6;
const NO_FORMS: ReadonlyMap<string, string> = new Map();

export type ToolWords = Pick<ToolDefinition, "name" | "description">;

/** What a rank needs to know about a tool. */
export interface ToolFacts {
  readonly terms: Terms;
  /** The words of the name without those of the server. Words with one root are together. */
  readonly name: readonly NameWord[];
  /** The roots of the words of the server's name. */
  readonly server: readonly string[];
  /** The kinds of action that the name says, as bits. */
  readonly kinds: number;
  readonly removes: boolean;
}

export interface NameWord {
  readonly root: string;
  readonly forms: readonly string[];
  /** The kinds of action that the word says, as bits. */
  readonly kinds: number;
}

// A definition never changes, and the registry returns the same object for it at each read. So its facts belong to the object.
const known = new WeakMap<ToolWords, ToolFacts>();

/** Returns the facts of a tool. They are derived once for each definition. */
export function factsOf(words: ToolWords): ToolFacts {
  const before = known.get(words);
  if (before) return before;
  const facts = read(words);
  known.set(words, facts);
  return facts;
}

/** Returns the text by which a search finds a tool. */
export function toolText({ name, description }: ToolWords): string {
  return `${name}\n${description}`;
}

function read(words: ToolWords): ToolFacts {
  const [server, own] = splitName(words.name);
  const serverRoots = new Set(termsIn(server).forms.values());
  const forms = [...termsIn(own).forms].filter(([, root]) => !serverRoots.has(root));
  const name = [...Map.groupBy(forms, ([, root]) => root)].map(([root, all]) => ({
    root,
    forms: all.map(([form]) => form),
    kinds: kindsOf([root]),
  }));
  const roots = name.map(({ root }) => root);
  return {
    terms: termsOf(words),
    name,
    server: [...serverRoots],
    kinds: kindsOf(roots),
    removes: removes(roots),
  };
}

/** Returns the name of the server, which all tools of the server have, and the tool's own name. */
function splitName(name: string): readonly [server: string, own: string] {
  const end = name.indexOf("__");
  return end < 0 ? ["", name] : [name.slice(0, end), name.slice(end + 2)];
}

/** Returns the terms of a tool. Its name says more about it than the first sentence of its description, and that more than the rest. */
function termsOf({ name, description }: ToolWords): Terms {
  const [, end = description] = /^(.*?[.!?](?=\s|$)|.*)/.exec(description) ?? [];
  const fields = [
    [name, NAME_WEIGHT],
    [end, FIRST_WEIGHT],
    [description.slice(end.length), REST_WEIGHT],
  ] as const;
  const counts = new Map<string, number>();
  let words = 0;
  for (const [text, weight] of fields) {
    const terms = termsIn(text);
    words += weight * terms.words;
    for (const [term, count] of terms.counts) counts.set(term, (counts.get(term) ?? 0) + weight * count);
  }
  return { words, counts, forms: NO_FORMS };
}
