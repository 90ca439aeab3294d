import { attributes, type Json, type Message } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { type Carrier, currentCarrier, readCarrier, type SentContext, withinReceived } from "@toolbus/telemetry";

type Row = NonNullable<Change["outbox"]>[number];

/**
 * Returns the message with the current trace context. A message that already belongs to another trace is unchanged, so an approver's decision
 * continues the trace of the run, not the approver's own trace.
 */
export function carrying(message: Message, carrier: SentContext | undefined): Message {
  const own = message.attributes[attributes.traceparent];
  if (!carrier || (own !== undefined && !sameTrace({ traceparent: own }, carrier))) return message;
  return { ...message, attributes: { ...message.attributes, ...carrier } };
}

/**
 * Returns outbox rows with the trace context of their commit, so that a relay in another process can publish them in the right trace, even an hour
 * later. If a row has only the data from which the relay makes the message, the function adds the context to these data as a field.
 */
export function rowsInContext(rows: readonly Row[]): readonly Row[] {
  const carrier = currentCarrier();
  if (!carrier) return rows;
  return rows.map((row) => ({ ...row, message: rowMessage(row.message, carrier) }));
}

/** Runs work in the trace context of a row. A row with a whole message needs no trace here, because the message contains its own. */
export function withinRow<T>(message: Json, work: () => T): T {
  if (!isObject(message) || isObject(message["attributes"]) || typeof message["traceparent"] !== "string") return work();
  return withinReceived({ traceparent: message["traceparent"] }, work);
}

function rowMessage(message: Json, carrier: SentContext): Json {
  if (!isObject(message)) return message;
  if (!isObject(message["attributes"])) return { ...message, traceparent: carrier.traceparent };
  return carrying(message as unknown as Message, carrier) as unknown as Json;
}

function sameTrace(one: Carrier, other: Carrier): boolean {
  return readCarrier(one)?.traceId === readCarrier(other)?.traceId;
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
