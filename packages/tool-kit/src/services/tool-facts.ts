import type { ToolDefinition } from "@toolbus/contracts";
import { type Terms, termsIn } from "@toolbus/models";
import { kindsOf, removes } from "./kinds.ts";

export type ToolWords = Pick<ToolDefinition, "name" | "description">;

/** What a rank needs to know about a tool. */
export interface ToolFacts {
  readonly terms: Terms;
  /** The words of the name without that of the server. Words with one root are together. */
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
  const forms = [...termsIn(own).forms];
  const name = [...Map.groupBy(forms, ([, root]) => root)].map(([root, all]) => ({ root, forms: all.map(([form]) => form) }));
  const roots = name.map(({ root }) => root);
  return {
    terms: termsIn(toolText(words)),
    name,
    server: [...new Set(termsIn(server).forms.values())],
    kinds: kindsOf(roots),
    removes: removes(roots),
  };
}

/** Returns the name of the server, which all tools of the server have, and the tool's own name. */
function splitName(name: string): readonly [server: string, own: string] {
  const end = name.indexOf("__");
  return end < 0 ? ["", name] : [name.slice(0, end), name.slice(end + 2)];
}
