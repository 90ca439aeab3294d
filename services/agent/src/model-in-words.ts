import { chooseProvider, ModelRefused, type ModelProbe, probeModel } from "@toolbus/models";
import { readSettings, Refusal } from "@toolbus/runtime";
import { modelSettings, readModelSettings } from "./model-settings.ts";

const HOW = "for a language model set ANTHROPIC_API_KEY, OPENAI_API_KEY or LLM_PROVIDER (docs/models.md)";

/**
 * Which model an agent with this environment asks, in one line for the person who starts it, and how to choose another one where nobody did. Throws
 * `BadSettings` or `Refusal`, as the agent itself would at its start.
 */
export async function modelInWords(environment: Readonly<Record<string, string | undefined>>): Promise<string> {
  const settings = await readModelSettings(readSettings(modelSettings, environment), environment);
  try {
    const { provider, model, configured } = chooseProvider(settings);
    if (!configured) return `offline rules, no key needed; ${HOW}`;
    return provider === "offline" ? "offline rules, as LLM_PROVIDER says" : `${model} of ${provider}`;
  } catch (error) {
    throw error instanceof ModelRefused ? new Refusal(error.message) : error;
  }
}

/** What can be found out about that model by asking its provider for it; null for the offline rules. Throws as `modelInWords` does. */
export async function modelProbe(
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<ModelProbe | null> {
  return probeModel(await readModelSettings(readSettings(modelSettings, environment), environment), signal);
}
