import { readFile } from "node:fs/promises";
import {
  DEFAULT_BOUNDS,
  KEY_VARIABLES,
  KEYED_PROVIDERS,
  type KeyedProvider,
  MODEL_PROVIDERS,
  type ModelSettings,
  ModelTableRefused,
  readModelTable,
} from "@toolbus/models";
import { httpAddress, integer, milliseconds, Refusal, type SettingsOf, str, type UnknownSetting, unknownSettings } from "@toolbus/runtime";

/** The settings that choose the model and say how to reach it. docs/models.md says what each provider needs. */
export const modelSettings = {
  LLM_PROVIDER: str({
    default: "",
    choices: [...MODEL_PROVIDERS],
    desc: "the model provider; empty: the one whose key or address is set, or else offline",
  }),
  LLM_MODEL: str({ default: "", desc: "the model, as its provider names it; empty: the provider's default" }),
  LLM_API: str({ default: "chat", choices: ["chat", "responses"], desc: "which of OpenAI's two protocols to use" }),
  LLM_BASE_URL: httpAddress({ default: "", desc: "an address other than the vendor's own; alone it means an OpenAI-compatible server" }),
  // The value is parsed as an address only if it is used, because other programs read the same variable.
  OPENAI_BASE_URL: str({ default: "", desc: "the address of OpenAI, as its SDKs read it; LLM_BASE_URL takes precedence" }),
  LLM_TEMPERATURE: str({ default: "", desc: "the temperature for models that accept one; empty: the vendor's default" }),
  LLM_PARALLEL_CALLS: str({
    default: "",
    choices: ["true", "false"],
    desc: "false asks for one call per turn, if the vendor supports it",
  }),
  ANTHROPIC_API_KEY: str({ default: "", desc: "the key for Anthropic" }),
  ANTHROPIC_API_KEY_FILE: str({ default: "", desc: "a file that holds the key" }),
  OPENAI_API_KEY: str({ default: "", desc: "the key for OpenAI" }),
  OPENAI_API_KEY_FILE: str({ default: "", desc: "a file that holds the key" }),
  OPENROUTER_API_KEY: str({ default: "", desc: "the key for OpenRouter" }),
  OPENROUTER_API_KEY_FILE: str({ default: "", desc: "a file that holds the key" }),
  LLM_API_KEY: str({ default: "", desc: "the key for an OpenAI-compatible server, if it needs one" }),
  LLM_API_KEY_FILE: str({ default: "", desc: "a file that holds the key" }),
  OLLAMA_HOST: str({ default: "", desc: "the address of Ollama, 127.0.0.1:11434 by default" }),
  AWS_REGION: str({ default: "", desc: "the region of Bedrock; credentials come from the default chain of AWS" }),
  LLM_CLI_COMMAND: str({ default: "", desc: 'the command behind the provider "cli", as words or as a JSON array; no shell reads it' }),
  MODEL_TABLE_FILE: str({
    default: "",
    desc: "JSON file with your facts about models: windows, limits, prices; takes precedence over the built-in table",
  }),
  LLM_CLI_ENV: str({ default: "", desc: "variables that the command gets besides PATH, HOME and LANG, separated by commas" }),
  MODEL_ANSWER_MAX_BYTES: integer({ min: 65_536, max: 1_073_741_824 })({
    default: DEFAULT_BOUNDS.bytes,
    desc: "the largest answer of a model, on the wire and decompressed; a larger one fails its run",
  }),
  MODEL_ANSWER_MAX_EVENTS: integer({ min: 1000, max: 100_000_000 })({
    default: DEFAULT_BOUNDS.events,
    desc: "the largest number of events in one answer",
  }),
  MODEL_EVENT_MAX_BYTES: integer({ min: 65_536, max: 268_435_456 })({
    default: DEFAULT_BOUNDS.eventBytes,
    desc: "the largest event of an answer, and so the longest line",
  }),
  MODEL_ARGUMENTS_MAX_BYTES: integer({ min: 65_536, max: 268_435_456 })({
    default: DEFAULT_BOUNDS.argumentBytes,
    desc: "the largest size of the arguments of all calls of one turn together",
  }),
  MODEL_SILENCE_MS: milliseconds({
    default: DEFAULT_BOUNDS.silenceMs,
    desc: "the longest wait between two pieces of an answer that has begun; MODEL_TIMEOUT_MS bounds the whole answer",
  }),
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

// The variables that a model call needs besides our own settings. AWS's SDK finds its credentials in them. Node and the SDKs find the settings of
// proxies and certificates in them.
const SURROUNDINGS = /^(AWS_\w+|(https?|no)_proxy|NODE_USE_ENV_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|PATH|HOME|LANG)$/i;

const MAX_KEY_FILE_CHARS = 16_384;

/**
 * Returns the values of these settings, with keys read from their files. `environment` is only used for the variables of a command's process. Throws
 * `Refusal` for an invalid file or variable. The error never contains a key.
 */
export async function readModelSettings(config: SettingsOf<typeof modelSettings>, environment: Environment): Promise<ModelSettings> {
  return {
    provider: given(config.LLM_PROVIDER),
    model: given(config.LLM_MODEL),
    keys: await keysOf(config),
    baseUrl: given(config.LLM_BASE_URL),
    openaiBaseUrl: given(config.OPENAI_BASE_URL),
    api: config.LLM_API === "responses" ? "responses" : "chat",
    ollamaHost: given(config.OLLAMA_HOST),
    awsRegion: given(config.AWS_REGION),
    cliCommand: given(config.LLM_CLI_COMMAND),
    cliEnvironment: cliEnvironment(config.LLM_CLI_ENV, environment),
    temperature: temperatureOf(config.LLM_TEMPERATURE),
    parallelCalls: config.LLM_PARALLEL_CALLS === "" ? null : config.LLM_PARALLEL_CALLS === "true",
    table: await tableIn(config.MODEL_TABLE_FILE),
    bounds: {
      bytes: config.MODEL_ANSWER_MAX_BYTES,
      events: config.MODEL_ANSWER_MAX_EVENTS,
      eventBytes: config.MODEL_EVENT_MAX_BYTES,
      argumentBytes: config.MODEL_ARGUMENTS_MAX_BYTES,
      silenceMs: config.MODEL_SILENCE_MS,
    },
  };
}

/**
 * Returns the part of an environment that decides which model answers and how to reach it, including secrets. A parent process passes it to an agent
 * in a separate process, and to no other service.
 */
export function modelEnvironment(environment: Environment): Readonly<Record<string, string>> {
  const named = new Set(namesIn(environment["LLM_CLI_ENV"] ?? ""));
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value && (Object.hasOwn(modelSettings, name) || SURROUNDINGS.test(name) || named.has(name)) ? [[name, value]] : [],
    ),
  );
}

/** Returns the variables that look like settings of a model but that nobody reads. */
export function unknownModelSettings(environment: Environment): readonly UnknownSetting[] {
  return unknownSettings(environment, { known: Object.keys(modelSettings), services: [] });
}

async function keysOf(config: SettingsOf<typeof modelSettings>): Promise<ModelSettings["keys"]> {
  const entries = KEYED_PROVIDERS.map(async (provider) => {
    const variable = KEY_VARIABLES[provider];
    return [provider, await keyOf(variable, config[variable], config[`${variable}_FILE`])] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<KeyedProvider, string | null>;
}

async function keyOf(variable: string, key: string, file: string): Promise<string | null> {
  if (file === "") return given(key);
  if (key !== "") throw new Refusal(`${variable} and ${variable}_FILE are both set: keep one of them.`);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(
      `The key file ${file} of ${variable}_FILE cannot be read (${error.code ?? "unknown"}): fix its path or its permissions.`,
    );
  });
  const read = text.slice(0, MAX_KEY_FILE_CHARS).trim();
  if (read === "") throw new Refusal(`The key file ${file} of ${variable}_FILE is empty: put the key into it.`);
  return read;
}

async function tableIn(file: string): Promise<ModelSettings["table"]> {
  return readModelTable(file).catch((error: unknown) => {
    throw error instanceof ModelTableRefused ? new Refusal(error.message) : error;
  });
}

function temperatureOf(text: string): number | null {
  if (text === "") return null;
  if (/^\d(\.\d+)?$/.test(text) && Number(text) <= 2) return Number(text);
  throw new Refusal(`LLM_TEMPERATURE must be a number from 0 to 2, such as 0.2, not "${text.slice(0, 40)}".`);
}

/**
 * Returns the environment of a command: PATH, HOME, LANG and the variables that `LLM_CLI_ENV` names. It contains nothing else, so it contains none of
 * our secrets.
 */
function cliEnvironment(names: string, environment: Environment): Readonly<Record<string, string>> {
  const asked = namesIn(names);
  for (const name of asked) {
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new Refusal("LLM_CLI_ENV must be names of variables, separated by commas, without their values.");
    if (!environment[name]) throw new Refusal(`LLM_CLI_ENV names ${name}, which is not set: set it, or leave it out.`);
  }
  return Object.fromEntries(["PATH", "HOME", "LANG", ...asked].flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

function namesIn(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((name) => name !== "");
}

function given(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === "" ? null : trimmed;
}
