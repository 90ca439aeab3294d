import { silentLog, startTelemetry, withSpan } from "@toolbus/telemetry";
import { message, type Message } from "@toolbus/contracts";
import { tracedBus } from "@toolbus/runtime";
import { describeOnServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { otlpReceiver, type ReceivedSpan } from "../e2e/testing/otlp-receiver.ts";
import { amqpSpace } from "./amqp-space.ts";

/** The numbers of span kinds in OTLP. */
const KIND = { client: 3, producer: 4, consumer: 5 } as const;
/** More messages than may be in flight, so the bus sends some only when the broker confirms others. */
const MANY = 600;
const TOPIC = "orders";

describeOnServer("rabbitmq", "a message on RabbitMQ while telemetry is on", (server) => {
  const space = amqpSpace(server);

  it("has one producer, one client and one consumer span, each beneath the previous one, however many messages wait", async () => {
    const { spans, arrived } = await sent(async (bus) => {
      // The bus sends the first message under a new routing key alone.
      await caused(0, () => bus.publish(made(0)));
      await Promise.all(Array.from({ length: MANY - 1 }, (_, n) => caused(n + 1, () => bus.publish(made(n + 1)))));
    }, MANY);
    expect(arrived.size).toBe(MANY);
    const below = Map.groupBy(spans, ({ parentSpanId }) => parentSpanId);
    const publishes = spans.filter(({ kind }) => kind === KIND.producer);
    expect(publishes).toHaveLength(MANY);
    for (const publish of publishes) {
      const id = String(publish.attributes["messaging.message.id"]);
      expect(parentOf(publish, spans)?.name).toBe(`cause ${id}`);
      const children = (below.get(publish.spanId) ?? []).map(({ kind, scope }) => `${kind} ${scope}`);
      expect({ id, children: children.toSorted() }).toEqual({
        id,
        children: [`${KIND.client} @opentelemetry/instrumentation-amqplib`, `${KIND.consumer} toolbus`],
      });
      // The client's own span is in no header. The parent of the message is the publish span of the bus, as on every other bus.
      expect(arrived.get(id)).toBe(`00-${publish.traceId}-${publish.spanId}-01`);
    }
  });

  it("has no span for an announcement outside of traces, and starts no trace with it", async () => {
    const { spans } = await sent(async (bus) => {
      await bus.announce(made(1));
      await caused(2, () => bus.announce(made(2)));
    }, 0);
    const [publish, ...others] = spans.toSorted((one, other) => other.kind - one.kind);
    expect(publish).toMatchObject({ kind: KIND.client, parentSpanId: others[0]?.spanId });
    expect(others.map(({ name }) => name)).toEqual(["cause 2"]);
  });

  /** Runs the work. Returns the spans that a collector received, and the trace context with which each message arrived. */
  async function sent(work: (bus: ReturnType<typeof tracedBus>) => Promise<unknown>, expected: number) {
    const receiver = await otlpReceiver();
    const telemetry = await startTelemetry({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_METRICS_EXPORTER: "none",
        OTEL_BSP_MAX_QUEUE_SIZE: String(MANY * 10),
      },
      serviceName: "test",
      messagingSystem: "rabbitmq",
      log: silentLog,
      newKey: () => "k".repeat(43),
      monotonic: () => performance.now(),
    });
    const parts = { service: "test", system: "rabbitmq", clock: () => Date.now(), monotonic: () => performance.now() };
    const bus = tracedBus(await space.connect({ namespace: "spans" }), parts);
    const arrived = new Map<string, string | undefined>();
    await bus.consume(
      TOPIC,
      async ({ message: { id, attributes } }) => {
        arrived.set(id, attributes["traceparent"]);
        return { kind: "ack" };
      },
      { concurrency: 100 },
    );
    await work(bus);
    await expect.poll(() => arrived.size, { timeout: 20_000, interval: 5 }).toBe(expected);
    await bus.close();
    await telemetry.shutdown(10_000);
    const spans = receiver.spans();
    await receiver.stop();
    return { spans, arrived };
  }
});

function caused<T>(n: number, work: () => Promise<T>): Promise<T> {
  return withSpan(`cause ${n}`, {}, work);
}

function made(n: number): Message {
  return message({ id: String(n), topic: TOPIC, type: "test", source: "test", now: 0, body: {} });
}

function parentOf({ parentSpanId }: ReceivedSpan, spans: readonly ReceivedSpan[]): ReceivedSpan | undefined {
  return spans.find(({ spanId }) => spanId === parentSpanId);
}
