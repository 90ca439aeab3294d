import { MAX_BODY_BYTES, type Message } from "@toolbus/contracts";
import { expect } from "vitest";
import type { BusCase, CaseContext } from "./bus-case.ts";
import { collect, probe, record } from "./probe.ts";

const area = "content";

const filler = "x".repeat(MAX_BODY_BYTES - 2);

const messages: readonly { readonly name: string; readonly parts: Partial<Message> }[] = [
  { name: "a plain message", parts: {} },
  { name: "a correlation id and a reply topic", parts: { correlationId: "call-1", replyTo: "tool.result.default" } },
  { name: "a body of many scripts", parts: { body: JSON.stringify({ text: "Grüße, 世界, שלום, 🚀 \u0000 \u2028 \ud800" }) } },
  {
    name: "attributes by their exact names and values",
    parts: { attributes: { "toolbus-era": "3", traceparent: "00-aa-bb-01", "toolbus-agent": "Zoë 世界 🚀" } },
  },
  { name: "an attribute with an empty value", parts: { attributes: { tracestate: "" } } },
  { name: "a body of the largest size", parts: { body: `"${filler}"` } },
  { name: "a body that is not JSON", parts: { body: "{ not json" } },
  { name: "an empty body", parts: { body: "" } },
  // A signature may cover exactly these bytes, so the bus must not parse and rewrite them.
  { name: "a body with a duplicate key", parts: { body: ' {"n":1, "\\u006e":2,"n":3} ' } },
];

/** The cases for content. A message must arrive as it was sent, whatever its content, because only the pipeline reads it. */
export const carriedCases: readonly BusCase[] = messages.flatMap(({ name, parts }) => [
  { area, name: `a queue carries ${name} unchanged`, run: (context) => throughQueue(context, parts) },
  { area, name: `a broadcast carries ${name} unchanged`, run: (context) => throughBroadcast(context, parts) },
]);

async function throughQueue(context: CaseContext, parts: Partial<Message>): Promise<void> {
  const { deliveries } = await collect(context, "orders");
  const sent = probe("orders", "carried", parts);
  await context.bus.publish(sent);
  const [delivery] = await deliveries.until("the message arrives", ({ length }) => length > 0);
  expect(delivery?.message).toEqual(sent);
}

async function throughBroadcast(context: CaseContext, parts: Partial<Message>): Promise<void> {
  const heard = record<Message>(context);
  await context.bus.listen("news", heard.add);
  const sent = probe("news", "carried", parts);
  await context.bus.announce(sent);
  const [received] = await heard.until("the announcement arrives", ({ length }) => length > 0);
  expect(received).toEqual(sent);
}
