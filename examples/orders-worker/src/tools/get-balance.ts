import { defineTool, type Tool } from "@toolbus/tool-kit";
import { SHOP, type Shop } from "../shop/shop.ts";

export function getBalance(shop: Shop): Tool {
  return defineTool({
    name: "get_balance",
    description:
      "Gets the balance of one customer at the shop, e.g. of CUS-17. Output: customer, balance and currency. Not for bank accounts.",
    kind: "read",
    parameters: {
      type: "object",
      properties: { customer: { type: "string", pattern: "^CUS-[0-9]{1,12}$" } },
      required: ["customer"],
      additionalProperties: false,
    },
    scopes: ["tools:read"],
    owner: "payments",
    dependencies: [SHOP],
    run: ({ customer }: { readonly customer: string }, { signal }) => shop.look(`/customers/${customer}/balance`, signal),
  });
}
