import { defineTool, type Tool } from "@toolbus/tool-kit";
import { SHOP, type Shop } from "../shop/shop.ts";

export function lookupOrder(shop: Shop): Tool {
  return defineTool({
    name: "lookup_order",
    description:
      "Looks up one order by its id, ORD- and digits, e.g. ORD-8821. Output: order, customer, status, items, total and refunded in EUR, and address. Not for searching orders.",
    kind: "read",
    parameters: {
      type: "object",
      properties: { order: { type: "string", pattern: "^ORD-[0-9]{1,12}$" } },
      required: ["order"],
      additionalProperties: false,
    },
    scopes: ["tools:read"],
    owner: "orders",
    dependencies: [SHOP],
    run: ({ order }: { readonly order: string }, { signal }) => shop.look(`/orders/${order}`, signal),
  });
}
