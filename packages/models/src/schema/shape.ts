import type { Json } from "@toolbus/contracts";
import type { Fault, Loss } from "./loss.ts";

/**
 * A schema, read: for each type of JSON what values of it are taken. A kind that is absent is not taken. Everything that can be written in
 * several ways (a `$ref`, `allOf`, `anyOf`, `nullable`, `const`, the words of older drafts) is one thing here.
 */
export interface Shape {
  /** Where it stands in the tool's own parameters. */
  readonly at: string;
  readonly title: string;
  readonly description: string;
  /** What a model is told behind the description, such as a default. */
  readonly hints: readonly string[];
  /** True when null is what is taken for a value that is left out. */
  readonly nullByDefault: boolean;
  /** What holds for every kind and cannot be passed on. */
  readonly losses: readonly Loss[];
  readonly kinds: Kinds;
  /** Why it was not read to its end (it contains itself, or is too deep): what is inside is written as JSON text. */
  readonly opaque: string | null;
  /** Where and why nothing at all is taken; only when there are no kinds. */
  readonly fault: Fault | null;
}

export const KINDS = ["null", "boolean", "number", "string", "array", "object"] as const;
export type KindName = (typeof KINDS)[number];
export type Kinds = { readonly [name in KindName]?: Kind };

/** What is taken of one type. */
export interface Kind {
  /** True when a word of the schema speaks of this type alone; false when it is merely not ruled out. */
  readonly said: boolean;
  /** Numbers: whole ones only. */
  readonly integer: boolean;
  /** The bounds and the like, by their names in JSON Schema 2020-12. */
  readonly words: ReadonlyMap<string, Word>;
  /** The only values that are taken; null for any. */
  readonly values: Values | null;
  readonly losses: readonly Loss[];
  /** Arrays: what they hold; null where nothing is said. */
  readonly items: Shape | null;
  /** Objects: what they hold. */
  readonly members: Members;
}

export interface Word {
  readonly value: string | number | boolean;
  /** Where the word stands. */
  readonly at: string;
}

export interface Values {
  readonly list: readonly Json[];
  readonly at: string;
}

export interface Members {
  readonly properties: ReadonlyMap<string, Shape>;
  readonly required: ReadonlySet<string>;
  /** What may come besides: false for nothing, null where nothing is said. */
  readonly others: Shape | false | null;
  /** What the names of the others must be. */
  readonly keys: Shape | null;
}

export const NO_MEMBERS: Members = { properties: new Map(), required: new Set(), others: null, keys: null };

export const FREE: Kind = {
  said: false,
  integer: false,
  words: new Map(),
  values: null,
  losses: [],
  items: null,
  members: NO_MEMBERS,
};

/** Everything is taken. */
export function anything(at: string): Shape {
  const kinds = Object.fromEntries(KINDS.map((name) => [name, FREE])) as Kinds;
  return { at, title: "", description: "", hints: [], nullByDefault: false, losses: [], kinds, opaque: null, fault: null };
}

/** Everything is taken as far as anybody can tell, because it was not read to its end. */
export function unread(at: string, why: string): Shape {
  return { ...anything(at), opaque: why, losses: [{ pointer: at, what: why }] };
}

/** Nothing is taken. */
export function nothing(fault: Fault): Shape {
  return { ...anything(fault.pointer), kinds: {}, fault };
}

/** The shape with other kinds; with none of them left it takes nothing, for the given reason. */
export function withKinds(shape: Shape, kinds: Kinds, fault: Fault): Shape {
  const none = KINDS.every((name) => kinds[name] === undefined);
  return { ...shape, kinds, fault: none ? fault : null };
}

/** True when null is a value of its own: a part that takes everything takes null as well, and means nothing by it. */
export function takesNull({ kinds, opaque }: Shape): boolean {
  return kinds.null !== undefined && opaque === null && Object.keys(kinds).length < KINDS.length;
}
