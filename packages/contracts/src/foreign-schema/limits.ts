/**
 * What a foreign schema may contain, and what one check by it may cost. A schema over a limit is refused whole, with a pointer to the place. The limits are
 * several times what real tools have: the largest schemas of the corpus in `packages/models` have a tenth of them.
 */
export const SCHEMA_LIMITS = {
  /** Characters of the schema as JSON. A registration is one document of 64 KiB. */
  chars: 64 * 1024,
  /** Nesting of lists and objects. */
  depth: 64,
  /** Schemas inside it, wherever they stand. */
  schemas: 2000,
  refs: 256,
  /** Parts of `allOf`, `anyOf` and `oneOf` together, plus every `if` and `not`. */
  alternatives: 512,
  /** Values of all `enum`s together. */
  values: 4000,
  /** Named properties, all together. */
  properties: 2000,
  /** How often one value is looked at when references and alternatives are expanded. */
  looks: 5000,
  /** Characters of one pattern. */
  patternChars: 1000,
  /** States of all patterns together, with repeats expanded: `a{3}` has three. */
  patternStates: 10_000,
} as const;

/** Steps that one check of one value may take. A step is a keyword at a place, or a character of a pattern in one state; it takes 20 to 100 ns. */
export const CHECK_STEPS = 200_000;

/** Levels of a value that are checked. */
export const CHECK_DEPTH = 100;

/** Characters of a text that has a format: no date, address or URI is longer. */
export const FORMAT_CHARS = 2048;
