import type { CachePointBlock } from "@aws-sdk/client-bedrock-runtime";
import type { AdapterSettings } from "../adapter/adapter-settings.ts";

/** Marks the end of what may be cached. */
export const cachePoint: CachePointBlock = { type: "default" };

/** A model that does not cache refuses the mark. Claude models that have a price for cache reads accept it. */
export function cachesPrompts({ model, facts }: AdapterSettings): boolean {
  return model.includes("anthropic.claude") && facts.price !== null && facts.price.cacheRead > 0;
}
