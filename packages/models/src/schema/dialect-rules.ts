import type { DialectName } from "./dialect.ts";

/** What a vendor takes of a tool. Every dialect takes closed objects with listed properties of one type each, arrays with typed items, and lists of values. */
export interface DialectRules {
  /** What a tool's name must be. */
  readonly toolName: RegExp;
  /** What a property's name must be. */
  readonly key: RegExp;
  /** The longest description of a tool, in UTF-16 units. */
  readonly toolDescription: number;
  /** The longest description of a property. */
  readonly description: number;
  /** The bounds that are passed on; the others are told in the description. */
  readonly words: ReadonlySet<string>;
  /** The values of `format` that are passed on. */
  readonly formats: ReadonlySet<string>;
  /** False: a `pattern` with what only some regular expressions know (lookaround, named groups, Unicode classes) is not passed on. */
  readonly anyPattern: boolean;
  /** The types that a list of values may have. */
  readonly enumTypes: ReadonlySet<string>;
  /** Schemas inside one another, the root and the innermost value counted. */
  readonly depth: number;
  /** Properties of all objects together. */
  readonly properties: number;
  /** Values of all lists together, and the characters of one list. */
  readonly enumValues: number;
  readonly enumChars: number;
  /** The whole schema as JSON text. */
  readonly chars: number;
  /** The most tools in one request. */
  readonly tools: number;
  /** Absent: the vendor has no mode in which it holds the model to the schema, or none that we ask for. */
  readonly strict: StrictRules | null;
}

/** What a schema must keep, besides, for the vendor to hold the model to it: every property is required, and there is nothing but these words. */
export interface StrictRules {
  readonly words: ReadonlySet<string>;
  readonly formats: ReadonlySet<string>;
}

/** The rules of a dialect; null for one that takes everything. */
export function dialectRules(dialect: DialectName): DialectRules | null {
  return RULES[dialect];
}

const set = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const BOUNDS = "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf";
const LENGTHS = "minLength maxLength minItems maxItems";
const FORMATS = "date-time time date duration email hostname ipv4 ipv6 uuid";
const SCALARS = set("string number integer");

/** What is the same everywhere, or where no vendor says anything and ours is the careful figure. */
const CAREFUL: Omit<DialectRules, "words" | "formats"> = {
  // OpenAI (SDK 7, FunctionDefinition.name): a-z, A-Z, 0-9, underscores and dashes, at most 64. Bedrock (API_runtime_ToolSpecification): the same.
  toolName: /^[a-zA-Z0-9_-]{1,64}$/,
  // Anthropic and Bedrock: "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'" (2026); in 2025 the same message had no dot, so neither
  // have we. Said of top-level properties only, kept by us at every level.
  key: /^[a-zA-Z0-9_-]{1,64}$/,
  // OpenAI: "string too long. Expected a string with maximum length 1024".
  toolDescription: 1024,
  description: 1024,
  anyPattern: false,
  enumTypes: SCALARS,
  // OpenAI, structured outputs: at most 10 levels of nesting, 5,000 properties, 1,000 values, 15,000 characters in a list of more than 250 values.
  depth: 10,
  properties: 5000,
  enumValues: 1000,
  enumChars: 15_000,
  // OpenAI: 120,000 characters of names and values. Ours counts everything: longer is no tool any more, it is a prompt.
  chars: 120_000,
  // OpenAI: "Invalid 'tools': array too long. Expected an array with maximum length 128".
  tools: 128,
  strict: null,
};

const ANTHROPIC: DialectRules = {
  ...CAREFUL,
  // The Messages API sets no limit; a longer one is a page of documentation.
  toolDescription: 10_000,
  description: 4000,
  // Outside strict mode the words of JSON Schema pass; `$ref` and composites at the root do not (platform.claude.com, define-tools).
  words: set(`${BOUNDS} ${LENGTHS} uniqueItems pattern format`),
  formats: set(`${FORMATS} uri`),
  // Its validator takes lookaround (2026); Unicode classes are not worth the risk.
  anyPattern: false,
  // Strict mode has limits on a whole request (20 strict tools, 24 optional parameters), which no single tool can keep: it is not asked for.
  strict: null,
};

/** Any server that speaks chat completions. The strictest are those that make a grammar of every tool, such as llama.cpp. */
const COMPATIBLE: DialectRules = {
  ...CAREFUL,
  // llama.cpp: a maxLength or maxItems of 2,000 and more is "number of repetitions exceeds sane defaults" for the whole request, sums of smaller ones too;
  // a pattern must begin with ^ and end with $. vLLM (xgrammar): no multipleOf, uniqueItems or format.
  words: set("minimum maximum"),
  formats: new Set(),
};

const RULES: Readonly<Record<DialectName, DialectRules | null>> = {
  any: null,
  anthropic: ANTHROPIC,
  openai: {
    ...CAREFUL,
    // A pattern that Python's `re` cannot compile is "is not a 'regex'", lookaround is "regex lookaround is not supported" (both 400, 2026).
    words: set(`${BOUNDS} ${LENGTHS} uniqueItems pattern format`),
    formats: set(FORMATS),
    // developers.openai.com, structured outputs, supported schemas. Lengths of strings are not in the list, so that they rule strict mode out.
    strict: { words: set(`${BOUNDS} minItems maxItems pattern format`), formats: set(FORMATS) },
  },
  openrouter: {
    ...COMPATIBLE,
    // It passes tools on to whoever serves the model. Gemini: a name begins with a letter or an underscore; values of a list are strings
    // ("enum: only allowed for STRING type"), formats only 'enum' and 'date-time', no exclusive bounds, and maxItems count together.
    toolName: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
    enumTypes: set("string"),
    formats: set("date-time"),
    words: set("minimum maximum format"),
  },
  // The structs of its API know type, items, description, enum, properties and required; other words are read past (api/types.go).
  ollama: { ...COMPATIBLE, words: new Set() },
  compatible: COMPATIBLE,
  bedrock: {
    ...ANTHROPIC,
    // Behind Converse are models of many vendors; those of Amazon take type, properties and required at the root, and plain words below.
    words: set(`minimum maximum ${LENGTHS} pattern format`),
    formats: set("date-time date email"),
  },
  // The tools are text in a prompt: nothing refuses them, but a reader should not need to know JSON Schema by heart.
  cli: { ...CAREFUL, toolDescription: 4000, words: set(`${BOUNDS} ${LENGTHS} uniqueItems pattern format`), formats: set(`${FORMATS} uri`) },
};
