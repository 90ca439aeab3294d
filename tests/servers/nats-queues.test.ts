import { setTimeout as wait } from "node:timers/promises";
import { type ConnectBusOptions, consumeQueue, type MessageBus } from "@toolbus/bus";
import { ACK, allArrived, collect, idsOf, probe, probes, record, within } from "@toolbus/bus/conformance";
import { parseDeadLetter, topics } from "@toolbus/contracts";
import { describeOnServer } from "@toolbus/testing/servers";
import { describe, expect, it, vi } from "vitest";
import { messagesIn, natsClient } from "./nats-client.ts";
import { natsSpace } from "./nats-space.ts";
import { startConsumer } from "./start-consumer.ts";

const PATIENCE_MS = 20_000;
const ACK_WAIT_MS = 1000;
/** These times are shorter than the defaults, so that the tests do not wait long for the next messages. Their proportions are those of the defaults. */
const timings = { ackWaitMs: ACK_WAIT_MS, workingMs: 250, pullMs: 600, heartbeatMs: 300 };

describeOnServer("nats", "queues on a real server", (server) => {
  const space = natsSpace(server);

  async function setup(name: string, options: Partial<ConnectBusOptions> = {}) {
    const lines = record<string>({ patienceMs: PATIENCE_MS });
    /** What `unready` returned at the moment when a log line with these words was written. */
    const unreadyAt = new Map<string, readonly string[] | undefined>();
    const keep = (fields: object, words: string) => {
      unreadyAt.set(words, buses[0]?.unready());
      lines.add(`${words} ${JSON.stringify(fields)}`);
    };
    const log = { warn: keep, error: keep };
    const buses: MessageBus[] = [];
    const connect = async (): Promise<MessageBus> => {
      const bus = await space.connect({ namespace: name, drainMs: 300, log, nats: { timings }, ...options });
      buses.push(bus);
      return bus;
    };
    const bus = await connect();
    const client = await natsClient(server().url);
    const namespace = space.namespaceOf(name);
    return {
      bus,
      connect,
      drainMs: 300,
      patienceMs: PATIENCE_MS,
      unreadyAt,
      client,
      log,
      url: space.urlOf(name),
      logged: (words: string) => lines.until(`"${words}" is logged`, (all) => all.some((line) => line.includes(words))),
      stream: (kind: string) => `${namespace}_${kind}`.toUpperCase(),
      subject: (topic: string) => `${namespace}.work.${topic}`,
      durable: (topic: string) => `${namespace}_${topic}`,
      async [Symbol.asyncDispose]() {
        await Promise.all(buses.map((one) => one.close()));
        await client[Symbol.asyncDispose]();
      },
    };
  }

  describe("a consumer", () => {
    it("gets its stream back if somebody deletes it", async () => {
      await using s = await setup("stream deleted");
      const { deliveries } = await collect(s, "orders");
      await s.client.ask(`$JS.API.STREAM.DELETE.${s.stream("work")}`);
      await s.logged("a consumer has its queue again");
      expect(s.unreadyAt.get("a consumer has to begin again")).toEqual(["a queue of NATS is not consumed again yet"]);
      expect(s.unreadyAt.get("a consumer has its queue again")).toEqual([]);
      await s.bus.publish(probe("orders", "after"));
      await deliveries.until("the next message arrives", allArrived(["after"]));
    });

    it("is declared again if somebody deletes it, and gets messages published meanwhile", async () => {
      await using s = await setup("consumer deleted");
      const { deliveries } = await collect(s, "orders");
      await s.client.ask(`$JS.API.CONSUMER.DELETE.${s.stream("work")}.${s.durable("orders")}`);
      await s.bus.publish(probe("orders", "meanwhile"));
      await s.logged("a consumer has its queue again");
      await deliveries.until("the message arrives", allArrived(["meanwhile"]));
    });

    it("is declared again if somebody deletes it while all its handlers are busy, and the server notifies nobody", async () => {
      await using s = await setup("busy");
      const release = Promise.withResolvers<void>();
      const { deliveries } = await collect(s, "orders", async ({ message }) => {
        if (message.id === "first") await release.promise;
        return ACK;
      });
      await s.bus.publish(probe("orders", "first"));
      await deliveries.until("it is under way", allArrived(["first"]));
      await s.client.ask(`$JS.API.CONSUMER.DELETE.${s.stream("work")}.${s.durable("orders")}`);
      release.resolve();
      await s.bus.publish(probe("orders", "behind"));
      await s.logged("the server forgot that messages were asked for");
      await deliveries.until("the next message arrives", allArrived(["behind"]));
    });

    it("keeps a message for as long as its handler works, many times the server's patience", async () => {
      await using s = await setup("long handler", { drainMs: PATIENCE_MS });
      // This test depends on real time.
      const { deliveries, subscription } = await collect(s, "orders", async () => wait(4 * ACK_WAIT_MS, ACK), { concurrency: 2 });
      await s.bus.publish(probe("orders", "long"));
      const [held] = await deliveries.until("it is under way", allArrived(["long"]));
      await subscription.stop();
      await s.bus.close();
      expect(held?.signal.aborted).toBe(false);
      expect(idsOf(deliveries.items)).toEqual(["long"]);
      expect(await messagesIn(s.client, s.stream("work"))).toBe(0);
    });

    it("does not stop at a message with unreadable headers, and gives each stranger's message its own id", async () => {
      await using s = await setup("strangers");
      const { deliveries } = await collect(s, "orders");
      await s.client.publish(s.subject("orders"), "no headers at all");
      await s.client.publish(s.subject("orders"), Uint8Array.of(0xff, 0xfe), ["A Name: with a space", "Other: one\ntwo"]);
      await s.client.publish(s.subject("orders"), "{}", ["Ce-Id: theirs", "Nats-Msg-Id: other"]);
      const seen = await deliveries.until("all arrive", ({ length }) => length === 3);
      expect(idsOf(seen)).toEqual([`${s.stream("work")}:1`, `${s.stream("work")}:2`, "theirs"]);
      expect(seen.map(({ message }) => message.body)).toEqual(["no headers at all", "(not UTF-8) \ufffd\ufffd", "{}"]);
    });
  });

  describe("a process", () => {
    const startChild = (url: string, concurrency = 1) => startConsumer({ url, concurrency, timings, patienceMs: PATIENCE_MS });

    it("that is killed leaves its message to another, which counts the attempt", async () => {
      await using s = await setup("killed");
      await using child = await startChild(s.url);
      await s.bus.publish(probe("orders", "held"));
      await child.said({ held: "held", count: 1 });
      const { deliveries } = await collect(s, "orders");
      child.signal("SIGKILL");
      const [taken] = await deliveries.until("the message comes to the other", allArrived(["held"]));
      expect(taken?.count).toBe(2);
    });

    it("that is frozen gets none of its messages a second time, although it asked for more before", async () => {
      await using s = await setup("frozen");
      const ids = ["a", "b", "c", "d"];
      await using child = await startChild(s.url, 2 * ids.length);
      for (const id of ids) {
        await s.bus.publish(probe("orders", id));
        await child.said({ held: id, count: 1 });
      }
      child.signal("SIGSTOP");
      const { deliveries } = await collect(s, "orders");
      const taken = await deliveries.until("all messages come to the other", allArrived(ids));
      expect(taken.map(({ message, count }) => `${message.id} ${count}`).toSorted()).toEqual(ids.map((id) => `${id} 2`));
    });

    it("that is paused loses its message to another, and can no longer settle it", async () => {
      await using s = await setup("paused");
      await using child = await startChild(s.url);
      await s.bus.publish(probe("orders", "held"));
      await child.said({ held: "held", count: 1 });
      child.signal("SIGSTOP");
      const release = Promise.withResolvers<void>();
      const { deliveries } = await collect(s, "orders", async ({ count }) => {
        if (count > 2) return ACK;
        await release.promise;
        return { kind: "retry", after: 0, reason: "an ack by the one that was paused would take it away" };
      });
      const [taken] = await deliveries.until("the message comes to the other", allArrived(["held"]));
      expect(taken?.count).toBe(2);
      child.signal("SIGCONT");
      child.goOn();
      await child.said({ ended: "held" });
      release.resolve();
      const here = deliveries.until("it is still there and comes again", ({ length }) => length === 2);
      await Promise.any([here, child.said({ held: "held", count: 3 })]);
    });

    it("that is paused still removes a message whose work is done, and the answer of the other one changes nothing", async () => {
      await using s = await setup("paused and done");
      await using child = await startConsumer({ url: s.url, timings, verdict: { kind: "ack", evenIfLost: true }, patienceMs: PATIENCE_MS });
      await s.bus.publish(probe("orders", "held"));
      await child.said({ held: "held", count: 1 });
      child.signal("SIGSTOP");
      const release = Promise.withResolvers<void>();
      const { deliveries } = await collect(s, "orders", async ({ message }) => {
        if (message.id !== "held") return ACK;
        await release.promise;
        return { kind: "retry", after: 0, reason: "the message must not come again" };
      });
      await deliveries.until("the message comes to the other", allArrived(["held"]));
      child.signal("SIGCONT");
      child.goOn();
      await child.said({ ended: "held" });
      await expect.poll(() => messagesIn(s.client, s.stream("work")), { timeout: PATIENCE_MS }).toBe(0);
      release.resolve();
      // A redelivery would arrive before the second message.
      for (const id of ["next", "last"]) {
        await s.bus.publish(probe("orders", id));
        await Promise.any([deliveries.until(`"${id}" arrives`, allArrived([id])), child.said({ held: id, count: 1 })]);
      }
      expect(idsOf(deliveries.items).filter((id) => id === "held")).toHaveLength(1);
    });
  });

  describe("publishing", () => {
    it("treats the same id as one message within two minutes, on its own topic", async () => {
      await using s = await setup("duplicates");
      const { deliveries: orders } = await collect(s, "orders");
      const { deliveries: refunds } = await collect(s, "refunds");
      await s.bus.publish(probe("orders", "call#1"));
      await s.bus.publish(probe("orders", "call#1"));
      await s.bus.publish(probe("refunds", "call#1"));
      await s.bus.publish(probe("orders", "call#2"));
      await s.bus.publish(probe("orders", "last"));
      const seen = await orders.until("all arrive", allArrived(["last"]));
      expect(idsOf(seen)).toEqual(["call#1", "call#2", "last"]);
      await refunds.until("the other topic has its own", allArrived(["call#1"]));
    });

    it("has no more messages in flight than it may, and keeps their order", async () => {
      await using s = await setup("in flight", { nats: { maxInFlight: 3 } });
      const { deliveries } = await collect(s, "orders");
      const many = probes("orders", 100);
      await Promise.all(many.map((message) => s.bus.publish(message)));
      const ids = many.map(({ id }) => id);
      expect(idsOf(await deliveries.until("all arrive", allArrived(ids)))).toEqual(ids);
    });

    it("is refused in one sentence if the stream is full, and works again when there is room", async () => {
      await using s = await setup("full");
      const { subscription } = await collect(s, "orders");
      await subscription.stop();
      const body = JSON.stringify("x".repeat(200_000));
      const untilFull = async (): Promise<never> => {
        for (let n = 0; ; n++) await s.bus.publish(probe("orders", `large-${n}`, { body }));
      };
      await expect(within(PATIENCE_MS, "the stream is full", untilFull())).rejects.toMatchObject({
        code: "bus_unavailable",
        message: `The stream of ${s.subject("orders")} is full: its consumers are behind, or its max-bytes are too few.`,
      });
      await s.client.ask(`$JS.API.STREAM.PURGE.${s.stream("work")}`);
      await s.bus.publish(probe("orders", "small"));
    });

    it("is unroutable again if the stream was deleted and nobody consumes here", async () => {
      await using s = await setup("unroutable");
      const publishing = await s.connect();
      const { subscription } = await collect(s, "orders");
      await publishing.publish(probe("orders", "first"));
      await subscription.stop();
      await s.client.ask(`$JS.API.STREAM.DELETE.${s.stream("work")}`);
      await expect(publishing.publish(probe("orders", "second"))).rejects.toMatchObject({ code: "unroutable" });
    });

    it.each(["tool.result.>", "tool.*", "$JS.API.STREAM.DELETE.X", "a b", "a\r\nPUB b 0", ""])(
      "is not misled by the topic %j",
      async (topic) => {
        await using s = await setup(`topic ${topic}`);
        await expect(s.bus.publish(probe(topic, "astray"))).rejects.toMatchObject({ code: "unroutable" });
        await expect(s.bus.announce(probe(topic, "astray"))).rejects.toBeInstanceOf(RangeError);
        await expect(s.bus.consume(topic, async () => ACK, { concurrency: 1 })).rejects.toBeInstanceOf(RangeError);
        await expect(s.bus.listen(topic, () => undefined)).rejects.toBeInstanceOf(RangeError);
      },
    );
  });

  describe("a dead letter", () => {
    it("replaces its message in the streams", async () => {
      await using s = await setup("buried");
      const { deliveries, subscription } = await collect(s, "orders", () => ({ kind: "dead-letter", reason: "it is hopeless" }));
      await s.bus.publish(probe("orders", "hopeless"));
      await deliveries.until("it is delivered", allArrived(["hopeless"]));
      await subscription.stop();
      await s.bus.close();
      // The server removes an acknowledged message a moment later.
      await vi.waitFor(async () => expect(await messagesIn(s.client, s.stream("work"))).toBe(0), 10_000);
      expect(await messagesIn(s.client, s.stream("dead"))).toBe(1);
    });

    it("is also kept if somebody deleted the stream of dead letters", async () => {
      await using s = await setup("dead stream deleted");
      await collect(s, "orders", () => ({ kind: "dead-letter", reason: "it is hopeless" }));
      await s.client.ask(`$JS.API.STREAM.DELETE.${s.stream("dead")}`);
      await s.bus.publish(probe("orders", "hopeless"));
      const { deliveries } = await collect(s, topics.dead("orders"));
      await deliveries.until("the dead letter arrives", ({ length }) => length === 1);
    });

    it("is made of each of two strangers' messages that the pipeline cannot read", async () => {
      await using s = await setup("unreadable");
      await consumeQueue(s.bus, {
        topic: "orders",
        concurrency: 1,
        deadlineMs: 5000,
        parse: parseDeadLetter,
        handler: async () => ACK,
        log: s.log,
        clock: Date.now,
      });
      const { deliveries } = await collect(s, topics.dead("orders"));
      await s.client.publish(s.subject("orders"), "one");
      await s.client.publish(s.subject("orders"), "two");
      const letters = await deliveries.until("two dead letters arrive", ({ length }) => length === 2);
      expect(letters.map(({ message }) => message.body).join()).toMatch(/"body":"one".*"body":"two"/);
    });
  });
});
