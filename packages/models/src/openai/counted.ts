import type { Json } from "@toolbus/contracts";
import type { ModelUsage } from "../model-provider.ts";

type Count = Exclude<keyof ModelUsage, "estimated">;

/** Returns one member of the usage, or no member if the vendor did not report it. */
export function counted<N extends Count>(name: N, value: Json | undefined): { readonly [K in N]?: number } {
  return (typeof value === "number" ? { [name]: value } : {}) as { readonly [K in N]?: number };
}
