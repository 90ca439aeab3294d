import type { DialectName } from "./dialect.ts";

/** A vendor's limits for a tool. Every dialect accepts closed objects with listed properties of one type each, arrays with typed items, and enums. */
export interface DialectRules {
  /** The form of a tool's name. */
  readonly toolName: RegExp;
  /** The form of a property's name. */
  readonly key: RegExp;
  /** The longest description of a tool, in UTF-16 units. */
  readonly toolDescription: number;
  /** The longest description of a property. */
  readonly description: number;
  /** The bounds that are passed on; the others are only mentioned in the description. */
  readonly words: ReadonlySet<string>;
  /** The values of `format` that are passed on. */
  readonly formats: ReadonlySet<string>;
  /** False: a `pattern` with constructs that not every regular expression engine supports (lookaround, named groups, Unicode classes) is not passed on. */
  readonly anyPattern: boolean;
  /** The types that an enum may have. */
  readonly enumTypes: ReadonlySet<string>;
  /** The maximum nesting of schemas, including the root and the innermost value. */
  readonly depth: number;
  /** The number of properties of all objects together. */
  readonly properties: number;
  /** The number of values of all enums together, and the characters of one enum. */
  readonly enumValues: number;
  readonly enumChars: number;
  /** The length of the whole schema as JSON text. */
  readonly chars: number;
  /** The maximum number of tools in one request. */
  readonly tools: number;
  /** Null: the vendor has no mode that enforces the schema, or none that we use. */
  readonly strict: StrictRules | null;
}

/** Additional rules for a schema that the vendor enforces: every property is required, and only these words are allowed. */
export interface StrictRules {
  readonly words: ReadonlySet<string>;
  readonly formats: ReadonlySet<string>;
}

/** The rules of a dialect; null for one that accepts everything. */
export function dialectRules(dialect: DialectName): DialectRules | null {
  return RULES[dialect];
}

const set = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const BOUNDS = "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf";
const LENGTHS = "minLength maxLength minItems maxItems";
const FORMATS = "date-time time date duration email hostname ipv4 ipv6 uuid";
const SCALARS = set("string number integer");

// Limits that all vendors share. Where a vendor documents none, the value is a careful choice of ours.
const CAREFUL: Omit<DialectRules, "words" | "formats"> = {
  // OpenAI (SDK 7, FunctionDefinition.name): a-z, A-Z, 0-9, underscores and dashes, at most 64. Bedrock (API_runtime_ToolSpecification): the same.
  toolName: /^[a-zA-Z0-9_-]{1,64}$/,
  // Anthropic and Bedrock: "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'" (2026); in 2025 the same message had no dot, so we
  // do not allow one either. They require it only of top-level properties; we apply it at every level.
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
  // OpenAI: 120,000 characters of names and values. Our limit counts everything, because a longer schema is a prompt rather than a tool.
  chars: 120_000,
  // OpenAI: "Invalid 'tools': array too long. Expected an array with maximum length 128".
  tools: 128,
  strict: null,
};

const ANTHROPIC: DialectRules = {
  ...CAREFUL,
  // The Messages API documents no limit; a longer description is a page of documentation.
  toolDescription: 10_000,
  description: 4000,
  // Outside strict mode the words of JSON Schema are accepted, but not `$ref` and composites at the root (platform.claude.com, define-tools).
  words: set(`${BOUNDS} ${LENGTHS} uniqueItems pattern format`),
  formats: set(`${FORMATS} uri`),
  // Its validator accepts lookaround (2026); Unicode classes are not worth the risk.
  anyPattern: false,
  // Strict mode limits a whole request (20 strict tools, 24 optional parameters), which a single tool cannot ensure, so we do not use it.
  strict: null,
};

/** Any server that offers chat completions. The strictest are those that make a grammar from every tool, such as llama.cpp. */
const COMPATIBLE: DialectRules = {
  ...CAREFUL,
  // llama.cpp: a maxLength or maxItems of 2,000 or more fails the whole request ("number of repetitions exceeds sane defaults"), and so do smaller
  // ones in total; a pattern must begin with ^ and end with $. vLLM (xgrammar): no multipleOf, uniqueItems or format.
  words: set("minimum maximum"),
  formats: new Set(),
};

const RULES: Readonly<Record<DialectName, DialectRules | null>> = {
  any: null,
  anthropic: ANTHROPIC,
  openai: {
    ...CAREFUL,
    // Both are answered 400 (2026): "is not a 'regex'" for a pattern that Python's `re` cannot compile, "regex lookaround is not supported".
    words: set(`${BOUNDS} ${LENGTHS} uniqueItems pattern format`),
    formats: set(FORMATS),
    // developers.openai.com, structured outputs, supported schemas. Lengths of strings are not in the list, so a schema with them is not strict.
    strict: { words: set(`${BOUNDS} minItems maxItems pattern format`), formats: set(FORMATS) },
  },
  openrouter: {
    ...COMPATIBLE,
    // It passes tools on to the model's vendor. Gemini: a name begins with a letter or an underscore; values of an enum are strings
    // ("enum: only allowed for STRING type"), formats only 'enum' and 'date-time', no exclusive bounds, and maxItems are added up.
    toolName: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
    enumTypes: set("string"),
    formats: set("date-time"),
    words: set("minimum maximum format"),
  },
  // The structs of its API have type, items, description, enum, properties and required; other words are ignored (api/types.go).
  ollama: { ...COMPATIBLE, words: new Set() },
  compatible: COMPATIBLE,
  bedrock: {
    ...ANTHROPIC,
    // Behind Converse are models of many vendors. Those of Amazon accept type, properties and required at the root, and plain words below.
    words: set(`minimum maximum ${LENGTHS} pattern format`),
    formats: set("date-time date email"),
  },
  // The tools are text in a prompt, so nothing refuses them, but the form should be readable without a deep knowledge of JSON Schema.
  cli: { ...CAREFUL, toolDescription: 4000, words: set(`${BOUNDS} ${LENGTHS} uniqueItems pattern format`), formats: set(`${FORMATS} uri`) },
};
