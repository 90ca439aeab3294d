import type { ModelProvider, ModelRequest } from "../model-provider.ts";

export type RequestDefaults = Pick<ModelRequest, "temperature" | "parallelCalls">;

/** Returns a wrapper of the model that adds these values to every request that does not set them. */
export function withDefaults(provider: ModelProvider, defaults: RequestDefaults): ModelProvider {
  if (Object.keys(defaults).length === 0) return provider;
  return { ...provider, complete: (request, context) => provider.complete({ ...defaults, ...request }, context) };
}
