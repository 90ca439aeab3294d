import { connectModel, MODEL_PROVIDERS, ModelRefused, type ModelProvider, settingsFor } from "@toolbus/models";
import { readSettings, Refusal } from "@toolbus/runtime";
import { modelSettings, readModelSettings } from "../model-settings.ts";

/** Connects the model that `PROVIDER:NAME` names, with the keys and addresses of this environment. Throws `Refusal` and `BadSettings`. */
export async function replayModel(named: string, environment: Readonly<Record<string, string | undefined>>): Promise<ModelProvider> {
  const [, provider = "", name = ""] = /^([^:]+):(.+)$/.exec(named) ?? [];
  if (!(MODEL_PROVIDERS as readonly string[]).includes(provider))
    throw new Refusal(`"${named.slice(0, 80)}" names no model: give PROVIDER:NAME with one of ${MODEL_PROVIDERS.join(", ")}.`);
  try {
    const settings = await readModelSettings(readSettings(modelSettings, environment), environment);
    return await connectModel(settingsFor(settings, { provider, name }));
  } catch (error) {
    throw error instanceof ModelRefused ? new Refusal(error.message) : error;
  }
}
