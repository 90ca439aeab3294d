import {
  chooseProvider,
  KEYED_PROVIDERS,
  ModelRefused,
  type ModelProbe,
  type ModelSettings,
  otherAddress,
  probeModel,
} from "@toolbus/models";
import { readSettings, Refusal } from "@toolbus/runtime";
import { modelSettings, readModelSettings } from "./model-settings.ts";

const HOW = "for a language model set ANTHROPIC_API_KEY, OPENAI_API_KEY or LLM_PROVIDER (docs/models.md)";

/** The providers that are reached at an address. Ollama, AWS and a command have other settings for their location. */
const ASKED_AT_AN_ADDRESS: ReadonlySet<string> = new Set(KEYED_PROVIDERS);

/**
 * Says which model an agent with this environment uses, in one line for the person who starts it. If nobody chose a model, the line also says how to
 * choose one. Throws `BadSettings` or `Refusal`, as the agent does at its start.
 */
export async function modelInWords(environment: Readonly<Record<string, string | undefined>>): Promise<string> {
  return settingsInWords(await readModelSettings(readSettings(modelSettings, environment), environment));
}

/** Returns the line of `modelInWords` for settings that were already read. Throws `Refusal`. */
export function settingsInWords(settings: ModelSettings): string {
  try {
    const { provider, model, configured } = chooseProvider(settings);
    if (!configured) return `offline rules, no key needed; ${HOW}`;
    if (provider === "offline") return "offline rules, as LLM_PROVIDER says";
    const other = ASKED_AT_AN_ADDRESS.has(provider) ? otherAddress(settings, provider) : null;
    return `${model} of ${provider}${other === null ? "" : ` at ${new URL(other.url).origin}, as ${other.variable} says`}`;
  } catch (error) {
    throw error instanceof ModelRefused ? new Refusal(error.message) : error;
  }
}

/** Checks the configured model with a request to its provider. Returns null for the provider `offline`. Throws as `modelInWords` does. */
export async function modelProbe(
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<ModelProbe | null> {
  return probeModel(await readModelSettings(readSettings(modelSettings, environment), environment), signal);
}
