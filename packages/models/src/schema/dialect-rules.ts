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
  /** The bounds that the vendor receives. The description mentions the other bounds. */
  readonly words: ReadonlySet<string>;
  /** The values of `format` that the vendor receives. */
  readonly formats: ReadonlySet<string>;
  /** False if the vendor receives only a plain `pattern`. Some engines do not support lookaround, named groups or Unicode classes. */
  readonly anyPattern: boolean;
  /** The types that an enum may have. */
  readonly enumTypes: ReadonlySet<string>;
  /** The maximum nesting of schemas, including the root and the innermost value. */
  readonly depth: number;
  /** The maximum number of properties of all objects together. */
  readonly properties: number;
  /** The maximum number of values of all enums together. `enumChars` is the maximum number of characters in one enum. */
  readonly enumValues: number;
  readonly enumChars: number;
  /** The maximum length of the whole schema as JSON text. */
  readonly chars: number;
  /** The maximum number of tools in one request. */
  readonly tools: number;
  /** The rules of the vendor's strict mode. Null if the vendor has none, or if we do not use it. */
  readonly strict: StrictRules | null;
}

/** The additional rules for a schema that the vendor enforces. Every property is required, and only these words are allowed. */
export interface StrictRules {
  readonly words: ReadonlySet<string>;
  readonly formats: ReadonlySet<string>;
}

/** Returns the rules of a dialect, or null for a dialect that accepts everything. */
export function dialectRules(dialect: DialectName): DialectRules | null {
  return RULES[dialect];
}

const set = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const BOUNDS = "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf";
const LENGTHS = "minLength maxLength minItems maxItems";
const FORMATS = "date-time time date duration email hostname ipv4 ipv6 uuid";
const SCALARS = set("string number integer");

// The limits from which every dialect starts. If the vendors document no limit, the value is our own careful choice.
const CAREFUL: Omit<DialectRules, "words" | "formats"> = {
  // OpenAI (SDK 7, FunctionDefinition.name) and Bedrock (API_runtime_ToolSpecification) allow a-z, A-Z, 0-9, underscores and dashes, at most 64
  // characters.
  toolName: /^[a-zA-Z0-9_-]{1,64}$/,
  // Anthropic and Bedrock answer "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'" (2026). In 2025 the same message had no dot, so we do
  // not allow a dot either. The vendors check only top-level properties, but we apply the pattern at every level.
  key: /^[a-zA-Z0-9_-]{1,64}$/,
  // OpenAI answers "string too long. Expected a string with maximum length 1024".
  toolDescription: 1024,
  description: 1024,
  anyPattern: false,
  enumTypes: SCALARS,
  // OpenAI's structured outputs allow 10 levels of nesting, 5,000 properties, 1,000 values, and 15,000 characters in a list of more than 250 values.
  depth: 10,
  properties: 5000,
  enumValues: 1000,
  enumChars: 15_000,
  // OpenAI allows 120,000 characters of names and values. Our limit includes all characters, because we consider a longer schema too large for a
  // tool.
  chars: 120_000,
  // OpenAI answers "Invalid 'tools': array too long. Expected an array with maximum length 128".
  tools: 128,
  strict: null,
};

const ANTHROPIC: DialectRules = {
  ...CAREFUL,
  // The Messages API documents no limit, but we consider a longer description to be documentation.
  toolDescription: 10_000,
  description: 4000,
  // Outside strict mode, the vendor accepts the words of JSON Schema, but not `$ref` and composites at the root (platform.claude.com, define-tools).
  words: set(`${BOUNDS} ${LENGTHS} uniqueItems pattern format`),
  formats: set(`${FORMATS} uri`),
  // The vendor's validator accepts lookaround (2026). It may refuse Unicode classes, so we send only plain patterns.
  anyPattern: false,
  // Strict mode limits a whole request (20 strict tools, 24 optional parameters). The rules for a single tool cannot guarantee a limit of the
  // request, so we do not use this mode.
  strict: null,
};

/** Any server that offers chat completions. The strictest servers make a grammar from every tool, as llama.cpp does. */
const COMPATIBLE: DialectRules = {
  ...CAREFUL,
  // In llama.cpp, a maxLength or maxItems of 2,000 or more fails the whole request ("number of repetitions exceeds sane defaults"). Several smaller
  // bounds also fail the request if their total is too large. A pattern must begin with ^ and end with $. vLLM (xgrammar) supports no multipleOf,
  // uniqueItems or format.
  words: set("minimum maximum"),
  formats: new Set(),
};

const RULES: Readonly<Record<DialectName, DialectRules | null>> = {
  any: null,
  anthropic: ANTHROPIC,
  openai: {
    ...CAREFUL,
    // OpenAI answers 400 (2026) to lookaround ("regex lookaround is not supported") and to a pattern that Python's `re` cannot compile ("is not a
    // 'regex'").
    words: set(`${BOUNDS} ${LENGTHS} uniqueItems pattern format`),
    formats: set(FORMATS),
    // Source: developers.openai.com, structured outputs, supported schemas. The list has no lengths of strings, so a schema that limits a length is
    // not strict.
    strict: { words: set(`${BOUNDS} minItems maxItems pattern format`), formats: set(FORMATS) },
  },
  openrouter: {
    ...COMPATIBLE,
    // OpenRouter passes tools on to the model's vendor. For Gemini, a name begins with a letter or an underscore. Values of an enum are strings
    // ("enum: only allowed for STRING type"), and the only formats are 'enum' and 'date-time'. Exclusive bounds are not allowed, and maxItems are
    // added up.
    toolName: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
    enumTypes: set("string"),
    formats: set("date-time"),
    words: set("minimum maximum format"),
  },
  // The structs of Ollama's API have type, items, description, enum, properties and required. Ollama ignores other words (api/types.go).
  ollama: { ...COMPATIBLE, words: new Set() },
  compatible: COMPATIBLE,
  bedrock: {
    ...ANTHROPIC,
    // Converse serves models of many vendors. Amazon's models accept type, properties and required at the root, and plain keywords below the root.
    words: set(`minimum maximum ${LENGTHS} pattern format`),
    formats: set("date-time date email"),
  },
  // The tools are text in a prompt, so no vendor refuses them. The form must be readable for a model that does not know JSON Schema well.
  cli: { ...CAREFUL, toolDescription: 4000, words: set(`${BOUNDS} ${LENGTHS} uniqueItems pattern format`), formats: set(`${FORMATS} uri`) },
};
