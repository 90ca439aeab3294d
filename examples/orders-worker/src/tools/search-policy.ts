import { defineTool, type Tool } from "@toolbus/tool-kit";
import { SHOP, type Shop } from "../shop/shop.ts";

export function searchPolicy(shop: Shop): Tool {
  return defineTool({
    name: "search_policy",
    description:
      "Searches the shop's policies for words, up to 200 characters, e.g. damaged goods. Output: matches, each with title and text. Not for orders or customers.",
    kind: "read",
    parameters: {
      type: "object",
      properties: { query: { type: "string", minLength: 1, maxLength: 200 } },
      required: ["query"],
      additionalProperties: false,
    },
    scopes: ["tools:read"],
    owner: "support",
    dependencies: [SHOP],
    run: ({ query }: { readonly query: string }, { signal }) => shop.look(`/policies?q=${encodeURIComponent(query)}`, signal),
  });
}
