import type { CachePointBlock } from "@aws-sdk/client-bedrock-runtime";
import type { AdapterSettings } from "../adapter/adapter-settings.ts";

/** Marks the end of the part that the vendor may cache. */
export const cachePoint: CachePointBlock = { type: "default" };

/** Returns true for a Claude model that has a price for cache reads, because it accepts the mark. A model that does not cache refuses the mark. */
export function cachesPrompts({ model, facts }: AdapterSettings): boolean {
  return model.includes("anthropic.claude") && facts.price !== null && facts.price.cacheRead > 0;
}
