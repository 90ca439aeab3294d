import { type Delivery, type DeliveryHandler, type Disposition, RETRY_AFTER_THROW_MS } from "../message-bus.ts";

/** Returns the handler's decision about a delivery. If the handler throws, the decision is a retry. */
export async function dispositionOf(handler: DeliveryHandler, delivery: Delivery): Promise<Disposition> {
  try {
    return await handler(delivery);
  } catch {
    return { kind: "retry", after: RETRY_AFTER_THROW_MS, reason: "the handler threw" };
  }
}
