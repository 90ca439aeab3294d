import type { ModelProvider, ModelRequest } from "../model-provider.ts";

export type RequestDefaults = Pick<ModelRequest, "temperature" | "parallelCalls">;

/** Returns the same model, which adds these values to a request without them. */
export function withDefaults(provider: ModelProvider, defaults: RequestDefaults): ModelProvider {
  if (Object.keys(defaults).length === 0) return provider;
  return { ...provider, complete: (request, context) => provider.complete({ ...defaults, ...request }, context) };
}
