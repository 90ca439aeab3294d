/** The parts of a delivery that show how often its message was delivered. */
export interface CountedDelivery {
  readonly fields: { readonly redelivered: boolean };
  readonly properties: { readonly headers?: Readonly<Record<string, unknown>> | undefined };
}

/** Carries the count of deliveries before a retry, because to the broker the retry is a new message. */
export const DELIVERIES_HEADER = "x-toolbus-deliveries";

/**
 * How often the message was delivered, including this time. The broker counts its own redeliveries, mostly those of dead consumers, and our header counts
 * retries. From RabbitMQ 4.3 on the broker no longer counts messages that were given back on purpose, so the count is too low there.
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

// Anybody who may publish can write anything here.
const MOST = 1_000_000;

function countOf(value: unknown): number {
  const count = typeof value === "string" ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? Math.min(count, MOST) : 0;
}
