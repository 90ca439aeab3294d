/**
 * The limits for the content of a foreign schema. The compiler refuses a schema over a limit, with a pointer to the place. Real tools need much less:
 * the largest schemas of the corpus in `packages/models` reach a tenth of the limits.
 */
export const SCHEMA_LIMITS = {
  /** The length of the schema as JSON, in characters. A registration is one document of 64 KiB. */
  chars: 64 * 1024,
  /** The nesting depth of lists and objects. */
  depth: 64,
  /** The number of schemas inside the schema, at any place. */
  schemas: 2000,
  refs: 256,
  /** The number of parts of `allOf`, `anyOf` and `oneOf` together, plus every `if` and `not`. */
  alternatives: 512,
  /** The number of values of all `enum`s together. */
  values: 4000,
  /** The number of named properties of all schemas together. */
  properties: 2000,
  /** The number of times that one value is checked when references and alternatives are expanded. */
  looks: 5000,
  /** The length of one pattern, in characters. */
  patternChars: 1000,
  /** The number of states of all patterns together, with repeats expanded. For example, `a{3}` has three. */
  patternStates: 10_000,
} as const;

/**
 * The number of steps that one check of one value may take. A step is one keyword at one place, or one character of a pattern in one state. A step
 * takes 20 to 100 ns.
 */
export const CHECK_STEPS = 200_000;

/** The number of levels of a value that are checked. */
export const CHECK_DEPTH = 100;

/** The longest text with a format, in characters. No date, address or URI is longer. */
export const FORMAT_CHARS = 2048;
