import { defineTool, type Tool, ToolProblem } from "@toolbus/tool-kit";
import { SHOP, type Shop } from "../shop/shop.ts";

type Address = {
  readonly order: string;
  readonly street: string;
  readonly postcode: string;
  readonly city: string;
  readonly country: string;
};

/** A person decides, because a thief who has a customer's password can redirect parcels with an address change. */
export function updateAddress(shop: Shop): Tool {
  return defineTool({
    name: "update_address",
    description:
      "Changes the address of an order that was not sent yet, e.g. of ORD-8822. Gives the order with its new address. Not for the address of a customer's account.",
    kind: "write",
    parameters: {
      type: "object",
      properties: {
        order: { type: "string", pattern: "^ORD-[0-9]{1,12}$" },
        street: { type: "string", minLength: 1, maxLength: 100 },
        postcode: { type: "string", minLength: 1, maxLength: 12 },
        city: { type: "string", minLength: 1, maxLength: 60 },
        country: { type: "string", pattern: "^[A-Z]{2}$", description: "Two capital letters (ISO 3166)" },
      },
      required: ["order", "street", "postcode", "city", "country"],
      additionalProperties: false,
    },
    risk: { tier: "high" },
    // Without a key, a repeat could undo a change that somebody else made in between.
    idempotency: { mode: "key", keepsForMs: 86_400_000 },
    effect: "Send {order} to {street}, {postcode} {city}, {country}.",
    scopes: ["tools:write"],
    owner: "logistics",
    dependencies: [SHOP],
    resource: ({ order }: Address) => `order:${order}`,
    // The approver sees the present address beside the new one. If the present address changes before the write, the approver must decide again.
    plan: async ({ order, ...after }: Address, { signal }) => {
      const found = await shop.look(`/orders/${order}`, signal);
      if (found instanceof ToolProblem) return found;
      const { status, address } = found as { readonly status: string; readonly address: Omit<Address, "order"> };
      return { before: { status, ...address }, after: { status, ...after } };
    },
    prepare: async (address) => address,
    run: ({ order, ...address }, { idempotencyKey: key, signal }) =>
      shop.change({ method: "PUT", path: `/orders/${order}/address`, body: address, key }, signal),
  });
}
