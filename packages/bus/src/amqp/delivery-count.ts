/** What of a delivery tells how often its message was delivered. */
export interface CountedDelivery {
  readonly fields: { readonly redelivered: boolean };
  readonly properties: { readonly headers?: Readonly<Record<string, unknown>> | undefined };
}

/** Carries the deliveries before a retry, which to the broker is a new message. */
export const DELIVERIES_HEADER = "x-toolbus-deliveries";

/**
 * How often the message was delivered, this time included. The broker counts what came back by itself, from dead consumers for the most part, and
 * our header what came back by a retry. From RabbitMQ 4.3 on the broker no longer counts what was given back on purpose; then it counts too few.
 */
export function deliveryCount({ fields, properties }: CountedDelivery): number {
  const headers = properties.headers ?? {};
  const byBroker = countOf(headers["x-delivery-count"]) || (fields.redelivered ? 1 : 0);
  return earlierDeliveries(headers) + byBroker + 1;
}

/** How often it was delivered before its last retry. */
export function earlierDeliveries(headers: Readonly<Record<string, unknown>>): number {
  return countOf(headers[DELIVERIES_HEADER]);
}

// Whoever may publish can write anything here.
const MOST = 1_000_000;

function countOf(value: unknown): number {
  const count = typeof value === "string" ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? Math.min(count, MOST) : 0;
}
