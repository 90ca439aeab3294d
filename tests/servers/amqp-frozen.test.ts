import { ACK, allArrived, collect, probe } from "@toolbus/bus/conformance";
import { describeOnServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { amqpSpace, amqpUrl } from "./amqp-space.ts";
import { startConsumer } from "./start-consumer.ts";

const PATIENCE_MS = 20_000;
const DRAIN_MS = 300;

describeOnServer("rabbitmq", "a process on RabbitMQ", (server) => {
  const space = amqpSpace(server);

  it("that is frozen loses its messages to another, although its connection stays open", async () => {
    await using other = await another("frozen");
    // Both connections of a bus have the heartbeat of its address. The test's one is shorter than the default.
    const url = amqpUrl(server().url, space.namespaceOf("frozen"), { heartbeat: "1" });
    await using child = await startConsumer({ url, concurrency: 2, patienceMs: PATIENCE_MS });
    for (const id of ["a", "b"]) {
      await other.bus.publish(probe("orders", id));
      await child.said({ held: id, count: 1 });
    }
    child.signal("SIGSTOP");
    const { deliveries } = await collect(other, "orders", () => ACK);
    const taken = await deliveries.until("both come to the other", allArrived(["a", "b"]));
    expect(taken.map(({ message, count }) => `${message.id} ${count}`).toSorted()).toEqual(["a 2", "b 2"]);
  });

  async function another(namespace: string) {
    const connect = () => space.connect({ namespace, drainMs: DRAIN_MS });
    const bus = await connect();
    return { bus, connect, drainMs: DRAIN_MS, patienceMs: PATIENCE_MS, [Symbol.asyncDispose]: () => bus.close() };
  }
});
