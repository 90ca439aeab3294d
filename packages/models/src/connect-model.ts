import type { ModelProvider } from "./model-provider.ts";
import { offlineModel } from "./offline/offline-model.ts";

const providers = { offline: offlineModel } as const satisfies Record<string, () => ModelProvider>;

/** The names that `connectModel` accepts. */
export const MODEL_PROVIDERS: readonly string[] = Object.keys(providers);

/** Configuration names a provider that does not exist here. */
export class UnknownModelProvider extends Error {
  override readonly name = "UnknownModelProvider";
  readonly code = "unknown_model_provider";
}

/**
 * The provider that configuration names, with the model that it names or, for null, the provider's own default. Opens no connection. Throws
 * `UnknownModelProvider` with what is accepted.
 */
export function connectModel(name: string, model: string | null = null): ModelProvider {
  if (name !== "offline") {
    throw new UnknownModelProvider(
      `The model provider ${JSON.stringify(name)} comes in a later version; accepted now: ${MODEL_PROVIDERS.join(", ")}.`,
    );
  }
  const provider = providers[name]();
  if (model !== null && model !== provider.model)
    throw new UnknownModelProvider(`The provider "${name}" has no model ${JSON.stringify(model)}; accepted: ${provider.model}.`);
  return provider;
}
