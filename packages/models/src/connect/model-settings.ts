import { type AnswerBounds, DEFAULT_BOUNDS } from "../adapter/answer-bounds.ts";
import type { ModelRow } from "../facts/model-table.ts";

/** Every provider that the configuration can name. */
export const MODEL_PROVIDERS = ["offline", "anthropic", "openai", "openrouter", "ollama", "bedrock", "compatible", "cli"] as const;
export type ProviderName = (typeof MODEL_PROVIDERS)[number];

/** The providers that may have their own key. */
export const KEYED_PROVIDERS = ["anthropic", "openai", "openrouter", "compatible"] as const;
export type KeyedProvider = (typeof KEYED_PROVIDERS)[number];

/** The variable that contains a provider's key. `<variable>_FILE` names a file that contains the key. */
export const KEY_VARIABLES = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  openrouter: "OPENROUTER_API_KEY",
  compatible: "LLM_API_KEY",
} as const satisfies Record<KeyedProvider, string>;

/**
 * The configuration of models. A null value means that the setting is absent. The settings contain keys, so they are never logged, stored or sent.
 */
export interface ModelSettings {
  /** The limits of an answer, from `MODEL_ANSWER_MAX_BYTES` and similar settings. */
  readonly bounds: AnswerBounds;
  /** The text of `LLM_PROVIDER`. Null leaves the choice to the key or the address that is set. */
  readonly provider: string | null;
  /** The text of `LLM_MODEL`. */
  readonly model: string | null;
  readonly keys: Readonly<Record<KeyedProvider, string | null>>;
  /** `LLM_BASE_URL`, which is an address other than the vendor's own. */
  readonly baseUrl: string | null;
  /** `OPENAI_BASE_URL`, which applies only to the provider "openai", and only without `LLM_BASE_URL`. */
  readonly openaiBaseUrl: string | null;
  /** `LLM_API`, which selects one of OpenAI's two protocols. */
  readonly api: "chat" | "responses";
  /** `OLLAMA_HOST`, which is an address, or a host with or without a port. */
  readonly ollamaHost: string | null;
  readonly awsRegion: string | null;
  /** The text of `LLM_CLI_COMMAND`. */
  readonly cliCommand: string | null;
  /** The whole environment of the command's process. */
  readonly cliEnvironment: Readonly<Record<string, string>>;
  /** `LLM_TEMPERATURE`, for requests that set no temperature. */
  readonly temperature: number | null;
  /** `LLM_PARALLEL_CALLS`, for requests that do not set `parallelCalls`. */
  readonly parallelCalls: boolean | null;
  /** The rows of `MODEL_TABLE_FILE`, which take precedence over our own table. */
  readonly table: readonly ModelRow[];
}

/** The settings of an empty configuration. The offline rules then answer. */
export const noModelSettings: ModelSettings = {
  bounds: DEFAULT_BOUNDS,
  provider: null,
  model: null,
  keys: { anthropic: null, openai: null, openrouter: null, compatible: null },
  baseUrl: null,
  openaiBaseUrl: null,
  api: "chat",
  ollamaHost: null,
  awsRegion: null,
  cliCommand: null,
  cliEnvironment: {},
  temperature: null,
  parallelCalls: null,
  table: [],
};

/** The error for a configuration of a model that cannot be used. The message is one sentence with the remedy, and it contains no key. */
export class ModelRefused extends Error {
  override readonly name = "ModelRefused";
  readonly code = "model_refused";
}
