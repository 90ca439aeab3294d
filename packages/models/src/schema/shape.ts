import type { Json } from "@toolbus/contracts";
import type { Fault, Loss } from "./loss.ts";

/**
 * A schema after reading: the accepted values for each type of JSON. An absent kind is not accepted. Everything that a schema can express in several
 * ways (a `$ref`, `allOf`, `anyOf`, `nullable`, `const`, the words of older drafts) has one form here.
 */
export interface Shape {
  /** Its place in the tool's own parameters. */
  readonly at: string;
  readonly title: string;
  readonly description: string;
  /** Additional sentences for the model after the description, such as a default. */
  readonly hints: readonly string[];
  /** True if null means the same as leaving the value out. */
  readonly nullByDefault: boolean;
  /** Rules for every kind that cannot be passed on. */
  readonly losses: readonly Loss[];
  readonly kinds: Kinds;
  /** Why it was not read completely (it contains itself, or is too deep): its inner part is written as JSON text. */
  readonly opaque: string | null;
  /** Where and why no value is accepted; set only if there are no kinds. */
  readonly fault: Fault | null;
}

export const KINDS = ["null", "boolean", "number", "string", "array", "object"] as const;
export type KindName = (typeof KINDS)[number];
export type Kinds = { readonly [name in KindName]?: Kind };

/** The accepted values of one type. */
export interface Kind {
  /** True if a word of the schema applies to this type alone; false if the type is only not excluded. */
  readonly said: boolean;
  /** For numbers: only whole ones. */
  readonly integer: boolean;
  /** The limits, by their names in JSON Schema 2020-12. */
  readonly words: ReadonlyMap<string, Word>;
  /** The only accepted values; null for any. */
  readonly values: Values | null;
  readonly losses: readonly Loss[];
  /** For arrays: their items; null if the schema does not say. */
  readonly items: Shape | null;
  /** For objects: their members. */
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
  /** The members that are not listed: false if none are allowed, null if the schema does not say. */
  readonly others: Shape | false | null;
  /** The rules for the names of the others. */
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

/** Accepts every value. */
export function anything(at: string): Shape {
  const kinds = Object.fromEntries(KINDS.map((name) => [name, FREE])) as Kinds;
  return { at, title: "", description: "", hints: [], nullByDefault: false, losses: [], kinds, opaque: null, fault: null };
}

/** Accepts every value as far as anybody can tell, because the schema was not read completely. */
export function unread(at: string, why: string): Shape {
  return { ...anything(at), opaque: why, losses: [{ pointer: at, what: why }] };
}

/** Accepts no value. */
export function nothing(fault: Fault): Shape {
  return { ...anything(fault.pointer), kinds: {}, fault };
}

/** The shape with other kinds; if none is left, it accepts no value, for the given reason. */
export function withKinds(shape: Shape, kinds: Kinds, fault: Fault): Shape {
  const none = KINDS.every((name) => kinds[name] === undefined);
  return { ...shape, kinds, fault: none ? fault : null };
}

/** True if the schema allows null explicitly. A part that accepts everything accepts null too, but does not mean anything by it. */
export function takesNull({ kinds, opaque }: Shape): boolean {
  return kinds.null !== undefined && opaque === null && Object.keys(kinds).length < KINDS.length;
}
