import type { CachePointBlock } from "@aws-sdk/client-bedrock-runtime";
import type { AdapterSettings } from "../adapter/adapter-settings.ts";

/** Marks the end of the part that the vendor may cache. */
export const cachePoint: CachePointBlock = { type: "default" };

/**
 * Returns whether the model accepts the mark. These are the Claude models that have a price for cache reads. A model that does not cache refuses the
 * mark.
 */
export function cachesPrompts({ model, facts }: AdapterSettings): boolean {
  return model.includes("anthropic.claude") && facts.price !== null && facts.price.cacheRead > 0;
}
