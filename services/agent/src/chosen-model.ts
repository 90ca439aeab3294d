import {
  chooseProvider,
  connectModel,
  KEY_VARIABLES,
  KEYED_PROVIDERS,
  type ModelProvider,
  ModelRefused,
  type ModelSettings,
  type ProviderName,
  settingsFor,
} from "@toolbus/models";
import { readSettings, Refusal } from "@toolbus/runtime";
import { modelSettings, readModelSettings } from "./model-settings.ts";

/** The model that an environment selects, or one sentence that says why there is none to ask. */
export type ChosenModel = { readonly model: ModelProvider } | { readonly missing: string };

/**
 * Returns the language model that this environment selects, with the named provider and model instead of its own if they are not null. `missing` says
 * that a key is absent or that only the offline rules are there. Throws `BadSettings` or `Refusal` for settings that are wrong.
 */
export async function chosenModel(
  environment: Readonly<Record<string, string | undefined>>,
  own: { readonly provider: string | null; readonly name: string | null },
): Promise<ChosenModel> {
  const settings = await readModelSettings(readSettings(modelSettings, environment), environment);
  try {
    // The environment's own choice may be unclear, such as with two keys. A named provider makes it clear.
    const chosen = own.provider === null ? settingsFor(settings, own) : settingsFor({ ...settings, provider: own.provider }, own);
    const { provider } = chooseProvider(chosen);
    const missing = missingOf(provider, chosen);
    return missing === null ? { model: await connectModel(chosen) } : { missing };
  } catch (error) {
    throw error instanceof ModelRefused ? new Refusal(error.message) : error;
  }
}

function missingOf(provider: ProviderName, { keys }: ModelSettings): string | null {
  if (provider === "offline") return "no language model is configured, and the offline rules cannot judge";
  const keyed = KEYED_PROVIDERS.find((one) => one === provider);
  // A compatible server may work without a key.
  if (keyed === undefined || keyed === "compatible" || keys[keyed] !== null) return null;
  return `the provider ${keyed} has no key (${KEY_VARIABLES[keyed]})`;
}
