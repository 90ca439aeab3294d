import { defineTool, type Toolset, toolset } from "@toolbus/tool-kit";

/** The system that this worker acts on. It executes a refund once per key. */
export interface Shop {
  refund(refund: { readonly [name: string]: unknown }, key: string, signal: AbortSignal): Promise<{ readonly refundId: string }>;
}

/** The whole worker: one write. Policy grants refunds up to 50 EUR, above that a person decides. */
export function orders(shop: Shop): Toolset {
  const issueRefund = defineTool({
    name: "issue_refund",
    description:
      "Refunds an order, e.g. ORD-8821. The amount is in EUR, above 0 and up to 10000. Gives the refund's id. Not for subscriptions.",
    kind: "write",
    parameters: {
      type: "object",
      properties: { order: { type: "string", pattern: "^ORD-[0-9]+$" }, amount: { type: "number", exclusiveMinimum: 0, maximum: 10_000 } },
      required: ["order", "amount"],
      additionalProperties: false,
    },
    risk: { tier: "medium", rules: [{ when: { properties: { amount: { exclusiveMinimum: 50 } } }, tier: "high", reason: "over 50 EUR" }] },
    idempotency: { mode: "key", keepsForMs: 86_400_000 },
    effect: "Refund {amount} EUR on {order}.",
    // Two refunds of one order never run at the same time, whoever asked for them.
    resource: ({ order }: { readonly order: string; readonly amount: number }) => `order:${order}`,
    prepare: async (args) => args,
    run: (refund, { idempotencyKey, signal }) => shop.refund(refund, idempotencyKey, signal),
  });
  return toolset({ name: "orders", tools: [issueRefund] });
}
