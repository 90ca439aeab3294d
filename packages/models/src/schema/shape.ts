import type { Json } from "@toolbus/contracts";
import type { Fault, Loss } from "./loss.ts";

/**
 * A schema after reading. For each type of JSON, it contains the accepted values. A type that is absent from `kinds` is not accepted. A schema can
 * express some rules in several ways (a `$ref`, `allOf`, `anyOf`, `nullable`, `const`, the words of older drafts). A shape has only one form for each
 * rule.
 */
export interface Shape {
  /** The place of the schema in the tool's own parameters. */
  readonly at: string;
  readonly title: string;
  readonly description: string;
  /** Additional sentences for the model after the description, such as a default. */
  readonly hints: readonly string[];
  /** True if null means the same as an absent value. */
  readonly nullByDefault: boolean;
  /** The losses that apply to every kind. */
  readonly losses: readonly Loss[];
  readonly kinds: Kinds;
  /**
   * The reason why the schema was not read completely, because it contains itself or is too deep. The compiler then writes its inner part as JSON
   * text.
   */
  readonly opaque: string | null;
  /** The place and the reason if the schema accepts no value. Set only if the shape has no kinds. */
  readonly fault: Fault | null;
}

export const KINDS = ["null", "boolean", "number", "string", "array", "object"] as const;
export type KindName = (typeof KINDS)[number];
export type Kinds = { readonly [name in KindName]?: Kind };

/** The accepted values of one type. */
export interface Kind {
  /** True if a word of the schema applies to this type alone. False if the schema merely does not exclude the type. */
  readonly said: boolean;
  /** True if only whole numbers are accepted. */
  readonly integer: boolean;
  /** The limits by their names in JSON Schema 2020-12. */
  readonly words: ReadonlyMap<string, Word>;
  /** The only accepted values, or null for any value. */
  readonly values: Values | null;
  readonly losses: readonly Loss[];
  /** The items of an array, or null if the schema does not describe them. */
  readonly items: Shape | null;
  /** The members of an object. */
  readonly members: Members;
}

export interface Word {
  readonly value: string | number | boolean;
  /** The place of the word. */
  readonly at: string;
}

export interface Values {
  readonly list: readonly Json[];
  readonly at: string;
}

export interface Members {
  readonly properties: ReadonlyMap<string, Shape>;
  readonly required: ReadonlySet<string>;
  /** The members that are not listed. False if the schema forbids them, and null if it says nothing about them. */
  readonly others: Shape | false | null;
  /** The rules for the names of these members. */
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

/** Returns a shape that accepts every value. */
export function anything(at: string): Shape {
  const kinds = Object.fromEntries(KINDS.map((name) => [name, FREE])) as Kinds;
  return { at, title: "", description: "", hints: [], nullByDefault: false, losses: [], kinds, opaque: null, fault: null };
}

/** Returns a shape that accepts every value, because the schema was not read completely. */
export function unread(at: string, why: string): Shape {
  return { ...anything(at), opaque: why, losses: [{ pointer: at, what: why }] };
}

/** Returns a shape that accepts no value. */
export function nothing(fault: Fault): Shape {
  return { ...anything(fault.pointer), kinds: {}, fault };
}

/** Returns the shape with other kinds. If no kind is left, the shape accepts no value, for the given reason. */
export function withKinds(shape: Shape, kinds: Kinds, fault: Fault): Shape {
  const none = KINDS.every((name) => kinds[name] === undefined);
  return { ...shape, kinds, fault: none ? fault : null };
}

/** Returns true if the schema allows null explicitly. A part that accepts everything accepts null too, but its author did not intend this. */
export function takesNull({ kinds, opaque }: Shape): boolean {
  return kinds.null !== undefined && opaque === null && Object.keys(kinds).length < KINDS.length;
}
