import { type Delivery, type DeliveryHandler, type Disposition, RETRY_AFTER_THROW_MS } from "../message-bus.ts";

/** What a handler makes of a delivery; one that throws is retried. */
export async function dispositionOf(handler: DeliveryHandler, delivery: Delivery): Promise<Disposition> {
  try {
    return await handler(delivery);
  } catch {
    return { kind: "retry", after: RETRY_AFTER_THROW_MS, reason: "the handler threw" };
  }
}
