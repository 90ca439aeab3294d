import {
  KEY_VARIABLES,
  KEYED_PROVIDERS,
  type KeyedProvider,
  MODEL_PROVIDERS,
  ModelRefused,
  type ModelSettings,
  type ProviderName,
} from "./model-settings.ts";

/** The provider and the model that the configuration selects. */
export interface ChosenModel {
  readonly provider: ProviderName;
  readonly model: string;
  /** False if the configuration selects no model, so that the offline rules answer. */
  readonly configured: boolean;
}

/**
 * The default model of each provider, which is the vendor's tier for everyday work. The names are from the model lists of the SDKs (@anthropic-ai/sdk
 * 1.11.0, openai 7.55.0). OpenRouter's name is its alias for the newest model of a family, and Bedrock's is a global inference profile. Null if the
 * configuration must name a model.
 */
const DEFAULT_MODELS: Readonly<Record<ProviderName, string | null>> = {
  offline: "rules-1",
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-6.1-terra",
  openrouter: "~anthropic/claude-sonnet-latest",
  ollama: null,
  bedrock: "global.anthropic.claude-sonnet-5-5",
  compatible: null,
  cli: "command",
};

/** The advice for a configuration that must name a model, with an example. */
const NAME_A_MODEL: Partial<Readonly<Record<ProviderName, string>>> = {
  ollama: 'fetch one, for example with "ollama pull qwen3", and name it: LLM_MODEL=qwen3 ("ollama list" shows what is there)',
  compatible: "name one that its server has: LLM_MODEL=…",
};

/**
 * Returns the provider that `LLM_PROVIDER` names, or else the provider whose key, address or command is set, or else the offline rules. The model is
 * the named one or the provider's default. Reads only the settings. Throws `ModelRefused`.
 */
export function chooseProvider(settings: ModelSettings): ChosenModel {
  const named = settings.provider;
  const provider = named === null ? fromWhatIsSet(settings) : providerNamed(named);
  const configured = named !== null || provider !== "offline";
  if (!configured && settings.model !== null)
    throw new ModelRefused(
      `LLM_MODEL names ${quoted(settings.model)}, but nothing says whose model it is: set LLM_PROVIDER, or the key of its provider.`,
    );
  return { provider, model: modelFor(provider, settings.model), configured };
}

/**
 * Returns the settings for a profile that names a provider, a model or both. If the profile names another provider than the process's own, the model,
 * address and protocol of the process do not apply to it. So no key is sent to another vendor's address. Throws `ModelRefused`.
 */
export function settingsFor(
  settings: ModelSettings,
  own: { readonly provider: string | null; readonly name: string | null },
): ModelSettings {
  const { provider: main } = chooseProvider(settings);
  const provider = own.provider ?? main;
  // The offline rules and a command have no address, so an address in the settings is meant for the provider that needs one.
  const addressed = main === "offline" || main === "cli" ? "compatible" : main;
  return {
    ...settings,
    provider,
    model: own.name ?? (provider === main ? settings.model : null),
    baseUrl: provider === addressed ? settings.baseUrl : null,
    api: provider === main ? settings.api : "chat",
  };
}

function providerNamed(name: string): ProviderName {
  const known = MODEL_PROVIDERS.find((provider) => provider === name);
  if (known !== undefined) return known;
  throw new ModelRefused(`There is no model provider ${quoted(name)}: choose one of ${MODEL_PROVIDERS.join(", ")}.`);
}

function modelFor(provider: ProviderName, named: string | null): string {
  const model = named ?? DEFAULT_MODELS[provider];
  if (model === null)
    throw new ModelRefused(`The provider "${provider}" has no default model: ${NAME_A_MODEL[provider] ?? "set LLM_MODEL"}.`);
  if (provider === "offline" && model !== DEFAULT_MODELS.offline)
    throw new ModelRefused(
      `The provider "offline" has no model ${quoted(model)}: leave LLM_MODEL unset, or set LLM_PROVIDER to the provider of that model.`,
    );
  return model;
}

/** Returns the provider whose key, address or command is set. Each of these settings alone selects a provider. */
function fromWhatIsSet({ keys, baseUrl, cliCommand }: ModelSettings): ProviderName {
  const vendors = KEYED_PROVIDERS.filter((provider) => provider !== "compatible");
  const found: (readonly [ProviderName, string])[] = [
    ...vendors.filter((provider) => keys[provider] !== null).map((provider) => [provider, KEY_VARIABLES[provider]] as const),
    ...(baseUrl === null ? [] : [["compatible", "LLM_BASE_URL"] as const]),
    ...(cliCommand === null ? [] : [["cli", "LLM_CLI_COMMAND"] as const]),
  ];
  if (found.length > 1) {
    const variables = found.map(([, variable]) => variable);
    const providers = found.map(([provider]) => provider);
    throw new ModelRefused(
      `${listed(variables, "and")} are set, so nobody knows which model is meant: set LLM_PROVIDER to ${listed(providers, "or")}.`,
    );
  }
  const [first] = found;
  if (first === undefined && keys.compatible !== null)
    throw new ModelRefused(
      "LLM_API_KEY is set, but nothing says whose key it is: set LLM_BASE_URL to the address of an OpenAI-compatible server.",
    );
  return first?.[0] ?? "offline";
}

/** Returns the key of a provider that needs one. Throws `ModelRefused` if the key is absent or invalid. */
export function neededKey({ keys }: ModelSettings, provider: KeyedProvider): string {
  const key = keyOf(keys[provider], provider);
  if (key !== null) return key;
  const variable = KEY_VARIABLES[provider];
  throw new ModelRefused(
    `The provider "${provider}" needs a key: set ${variable} or ${variable}_FILE, or LLM_PROVIDER=offline to go without a model.`,
  );
}

/** Returns a key that may be absent. Throws `ModelRefused` if the key is invalid. */
export function optionalKey({ keys }: ModelSettings, provider: KeyedProvider): string | null {
  return keyOf(keys[provider], provider);
}

/**
 * Returns the key unchanged. Throws if it contains a quote, a blank or a character that is not visible ASCII, because such a key was copied
 * incorrectly.
 */
function keyOf(key: string | null, provider: KeyedProvider): string | null {
  if (key === null || /^[!#-&(-~]+$/.test(key)) return key;
  throw new ModelRefused(
    `${KEY_VARIABLES[provider]} contains a character that no key contains, such as a quote, a blank or a line break: copy the key again, and nothing else.`,
  );
}

function listed(words: readonly string[], last: "and" | "or"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1) ?? ""}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
