/** The parts of a delivery that show how often its message was delivered. */
export interface CountedDelivery {
  readonly fields: { readonly redelivered: boolean };
  readonly properties: { readonly headers?: Readonly<Record<string, unknown>> | undefined };
}

/** The header with the number of deliveries before a retry. The broker does not know this number, because a retry is a new message to it. */
export const DELIVERIES_HEADER = "x-toolbus-deliveries";

/**
 * Returns how often the message was delivered, including this time. The broker counts its own redeliveries, most of which follow a consumer's crash.
 * Our header counts retries. Since RabbitMQ 4.3 the broker does not count messages that were given back on purpose, so with these versions the result
 * may be too low.
 */
export function deliveryCount({ fields, properties }: CountedDelivery): number {
  const headers = properties.headers ?? {};
  const byBroker = countOf(headers["x-delivery-count"]) || (fields.redelivered ? 1 : 0);
  return earlierDeliveries(headers) + byBroker + 1;
}

/** Returns how often the message was delivered before its last retry. */
export function earlierDeliveries(headers: Readonly<Record<string, unknown>>): number {
  return countOf(headers[DELIVERIES_HEADER]);
}

// A publisher can write any number into the header, so we limit it.
const MOST = 1_000_000;

function countOf(value: unknown): number {
  const count = typeof value === "string" ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? Math.min(count, MOST) : 0;
}
