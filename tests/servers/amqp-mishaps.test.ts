import { BusUnavailable, consumeQueue, type Disposition, type MessageBus, Unroutable } from "@toolbus/bus";
import { ACK, allArrived, collect, idsOf, probe, probes, record } from "@toolbus/bus/conformance";
import { type Parsed, topics } from "@toolbus/contracts";
import { describeOnServer, removeNamespace } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { amqpSpace } from "./amqp-space.ts";

const PATIENCE_MS = 20_000;
const GIVE_UP: Disposition = { kind: "dead-letter", reason: "it is hopeless" };
const OPEN_AGAIN = "a channel is open again";

describeOnServer("rabbitmq", "a bus on RabbitMQ with faults", (server) => {
  const space = amqpSpace(server);

  async function setup(text: string) {
    const lines = record<string>({ patienceMs: PATIENCE_MS });
    /** What `unready` returned at the moment when a log line with these words was written. */
    const unreadyAt = new Map<string, readonly string[] | undefined>();
    let opened: MessageBus | undefined;
    const keep = (fields: object, words: string) => {
      unreadyAt.set(words, opened?.unready());
      lines.add(`${words} ${JSON.stringify(fields)}`);
    };
    const namespace = space.namespaceOf(text);
    const log = { warn: keep, error: keep };
    const bus = await space.connect({ namespace: text, log, drainMs: 300 });
    opened = bus;
    return {
      bus,
      log,
      lines,
      unreadyAt,
      connect: () => space.connect({ namespace: text }),
      drainMs: 300,
      patienceMs: PATIENCE_MS,
      namespace,
      remove: (names: { readonly queues?: readonly string[]; readonly exchanges?: readonly string[] }) =>
        removeNamespace(server(), namespace, names),
      logged: (words: string) => lines.until(`"${words}" is logged`, (all) => all.some((line) => line.includes(words))),
      [Symbol.asyncDispose]: () => bus.close(),
    };
  }

  it("consumes again from a queue that was deleted meanwhile", async () => {
    await using trial = await setup("queue");
    const { deliveries } = await collect(trial, "orders");
    await trial.remove({ queues: [`${trial.namespace}.queue.orders`] });
    await trial.logged(OPEN_AGAIN);
    expect(trial.unreadyAt.get("a channel was closed; it is opened again")).toEqual(["a queue of RabbitMQ is not consumed again yet"]);
    expect(trial.unreadyAt.get(OPEN_AGAIN)).toEqual([]);
    await trial.bus.publish(probe("orders", "afterwards"));
    await deliveries.until("it arrives", allArrived(["afterwards"]));
  });

  it("declares a deleted exchange again, and binds its queues to it", async () => {
    await using trial = await setup("exchange");
    const { deliveries } = await collect(trial, "orders");
    await trial.remove({ exchanges: [`${trial.namespace}.work`] });
    await expect(trial.bus.publish(probe("orders", "lost"))).rejects.toBeInstanceOf(BusUnavailable);
    await trial.bus.publish(probe("orders", "afterwards"));
    expect(idsOf(await deliveries.until("it arrives", allArrived(["afterwards"])))).toEqual(["afterwards"]);
  });

  it("declares a deleted rung of the retry ladder again", async () => {
    await using trial = await setup("rung");
    const { deliveries } = await collect(trial, "orders", ({ count }) =>
      count < 3 ? { kind: "retry", after: 250, reason: "later" } : ACK,
    );
    await trial.bus.publish(probe("orders", "first"));
    await deliveries.until("the ladder was needed", ({ length }) => length === 3);
    await trial.remove({ queues: [`${trial.namespace}.retry.250.orders`] });
    await trial.bus.publish(probe("orders", "second"));
    await deliveries.until("the ladder is there again", ({ length }) => length === 6);
  });

  it.each(["adapter", "pipeline"])("recreates a deleted queue of dead letters, and keeps the dead letter of the %s", async (by) => {
    await using trial = await setup(`dead queue ${by}`);
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
    const onTopic = { topic: "orders", concurrency: 1 };
    if (by === "adapter") await collect(trial, "orders", ({ message: { id } }) => (id === "behind" ? (settle(), ACK) : GIVE_UP));
    else
      await consumeQueue(trial.bus, {
        ...onTopic,
        types: ["toolbus.probe"],
        parse: (value: unknown): Parsed<unknown> => ({ ok: true, value }),
        deadlineMs: 5000,
        handler: async ({ id }) => (id === "behind" ? (settle(), ACK) : GIVE_UP),
        log: trial.log,
        clock: Date.now,
      });
    await trial.remove({ queues: [`${trial.namespace}.queue.dead.orders`] });
    await trial.bus.publish(probe("orders", "hopeless"));
    await trial.bus.publish(probe("orders", "behind"));
    // The consumer handles one message at a time. The next message arrives when the previous one is settled, and needs no second attempt.
    await settled;
    expect(trial.lines.items.filter((line) => /cannot be settled|was not confirmed/.test(line))).toEqual([]);
    const { deliveries: dead } = await collect(trial, topics.dead("orders"));
    await dead.until("its dead letter arrives", ({ length }) => length === 1);
  });

  it("says of each of two messages with one id whether it was routed", async () => {
    await using trial = await setup("one id");
    await collect(trial, "orders");
    const outcomes = await Promise.allSettled([
      trial.bus.publish(probe("orders", "same")),
      trial.bus.publish(probe("nobody.home", "same")),
      trial.bus.publish(probe("orders", "same")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: expect.any(Unroutable) });
  });

  it("sends more messages than may be in flight one after another, in the order of the calls", async () => {
    await using trial = await setup("many");
    const { deliveries } = await collect(trial, "orders");
    const many = probes("orders", 1000);
    await Promise.all(many.map((message) => trial.bus.publish(message)));
    const ids = many.map(({ id }) => id);
    expect(idsOf(await deliveries.until("all arrive", allArrived(ids)))).toEqual(ids);
  });

  it("refuses a topic that would be a pattern", async () => {
    await using trial = await setup("pattern");
    await expect(trial.bus.consume("ord*ers", async () => ACK, { concurrency: 1 })).rejects.toThrow(/^"ord\*ers" is not a topic/);
    await expect(trial.bus.listen("#", () => undefined)).rejects.toThrow(/^"#" is not a topic/);
    await expect(trial.bus.publish(probe("#", "lost"))).rejects.toBeInstanceOf(Unroutable);
  });
});
