import type { AdapterSettings } from "../adapter-settings.ts";
import type { Endpoint } from "./post-events.ts";

/** Where a request of this kind goes, with the key where there is one. */
export function endpointOf(
  { apiKey, baseUrl }: Pick<AdapterSettings, "apiKey" | "baseUrl">,
  vendor: { readonly baseUrl: string; readonly headers: Readonly<Record<string, string>> },
  path: string,
): Endpoint {
  return {
    url: new URL(`${(baseUrl ?? vendor.baseUrl).replace(/\/+$/, "")}/${path}`),
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      "user-agent": "toolbus",
      ...vendor.headers,
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    },
  };
}
