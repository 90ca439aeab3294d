import { type Delivery, type DeliveryHandler, type Disposition, RETRY_AFTER_THROW_MS } from "../message-bus.ts";

/** A handler's verdict on a delivery; if the handler throws, the delivery is retried. */
export async function dispositionOf(handler: DeliveryHandler, delivery: Delivery): Promise<Disposition> {
  try {
    return await handler(delivery);
  } catch {
    return { kind: "retry", after: RETRY_AFTER_THROW_MS, reason: "the handler threw" };
  }
}
