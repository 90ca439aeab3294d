import { defineTool, type Tool } from "@toolbus/tool-kit";
import { SHOP, type Shop } from "../shop/shop.ts";

type Refund = { readonly order: string; readonly amount: number; readonly reason: string };

/** Policy grants refunds up to 50 EUR. Above 50 EUR one person decides, and above 1,000 EUR two people decide. */
export function issueRefund(shop: Shop): Tool {
  return defineTool({
    name: "issue_refund",
    description:
      "Refunds an order, e.g. ORD-8821. The amount is in EUR, above 0 and up to 10000. The reason has up to 200 characters. Gives the refund's id. Not for subscriptions.",
    kind: "write",
    parameters: {
      type: "object",
      properties: {
        order: { type: "string", pattern: "^ORD-[0-9]{1,12}$" },
        amount: { type: "number", exclusiveMinimum: 0, maximum: 10_000 },
        reason: { type: "string", minLength: 1, maxLength: 200 },
      },
      required: ["order", "amount", "reason"],
      additionalProperties: false,
    },
    risk: {
      tier: "medium",
      rules: [
        { when: { properties: { amount: { exclusiveMinimum: 50 } } }, tier: "high", reason: "over 50 EUR" },
        { when: { properties: { amount: { exclusiveMinimum: 1000 } } }, tier: "critical", reason: "over 1,000 EUR" },
      ],
    },
    idempotency: { mode: "key", keepsForMs: 86_400_000 },
    effect: "Refund {amount} EUR on {order}: {reason}",
    scopes: ["tools:write"],
    owner: "payments",
    dependencies: [SHOP],
    // Two refunds of one order never run at the same time, even if different users asked for them.
    resource: ({ order }: Refund) => `order:${order}`,
    prepare: async (refund) => refund,
    run: (refund, { idempotencyKey: key, signal }) => shop.change({ method: "POST", path: "/refunds", body: refund, key }, signal),
  });
}
