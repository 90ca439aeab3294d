import { type AnswerBounds, DEFAULT_BOUNDS } from "../adapter/answer-bounds.ts";
import type { ModelRow } from "../facts/model-table.ts";

/** Every provider that configuration can name. */
export const MODEL_PROVIDERS = ["offline", "anthropic", "openai", "openrouter", "ollama", "bedrock", "compatible", "cli"] as const;
export type ProviderName = (typeof MODEL_PROVIDERS)[number];

/** Those that may have their own key. */
export const KEYED_PROVIDERS = ["anthropic", "openai", "openrouter", "compatible"] as const;
export type KeyedProvider = (typeof KEYED_PROVIDERS)[number];

/** The variable that contains a provider's key; `<variable>_FILE` names a file that does. */
export const KEY_VARIABLES = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  openrouter: "OPENROUTER_API_KEY",
  compatible: "LLM_API_KEY",
} as const satisfies Record<KeyedProvider, string>;

/** What configuration says about models, whoever read it. Null: not configured. It contains keys: it is never logged, stored or sent. */
export interface ModelSettings {
  /** Limits of an answer: `MODEL_ANSWER_MAX_BYTES` and similar settings. */
  readonly bounds: AnswerBounds;
  /** `LLM_PROVIDER`, as it was written; null leaves the choice to the key or the address that is set. */
  readonly provider: string | null;
  /** `LLM_MODEL`. */
  readonly model: string | null;
  readonly keys: Readonly<Record<KeyedProvider, string | null>>;
  /** `LLM_BASE_URL`: an address other than the vendor's own. */
  readonly baseUrl: string | null;
  /** `OPENAI_BASE_URL`: only for the provider "openai", if `LLM_BASE_URL` is not set for it. */
  readonly openaiBaseUrl: string | null;
  /** `LLM_API`: which of OpenAI's two protocols. */
  readonly api: "chat" | "responses";
  /** `OLLAMA_HOST`: an address, or a host with or without a port. */
  readonly ollamaHost: string | null;
  readonly awsRegion: string | null;
  /** `LLM_CLI_COMMAND`, as it was written. */
  readonly cliCommand: string | null;
  /** The whole environment of the command's process. */
  readonly cliEnvironment: Readonly<Record<string, string>>;
  /** `LLM_TEMPERATURE`: for requests that set none. */
  readonly temperature: number | null;
  /** `LLM_PARALLEL_CALLS`: likewise. */
  readonly parallelCalls: boolean | null;
  /** `MODEL_TABLE_FILE`: what its owner knows about models; it comes before our own table. */
  readonly table: readonly ModelRow[];
}

/** Nothing is configured: the offline rules answer. */
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

/** Configuration asks for a model that cannot be used as it is. The message is one sentence with the remedy; it contains no key. */
export class ModelRefused extends Error {
  override readonly name = "ModelRefused";
  readonly code = "model_refused";
}
