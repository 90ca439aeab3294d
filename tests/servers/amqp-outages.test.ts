import { BusUnavailable, type Delivery, type Disposition } from "@toolbus/bus";
import { ACK, allArrived, collect, idsOf, probe, record, within } from "@toolbus/bus/conformance";
import { describeOnPrivateServer, type TcpProxy, tcpProxy } from "@toolbus/testing/servers";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { amqpTrial, PATIENCE_MS, type TrialOptions } from "./amqp-trial.ts";

// The bus has two connections, one to publish and one to consume. It loses and restores both.
const BOTH = 2;
const LATER: Disposition = { kind: "retry", after: 1000, reason: "later" };
const BACK = "the connection to RabbitMQ is back";
const LOST = "the connection to RabbitMQ was lost";

describeOnPrivateServer("rabbitmq", "a bus whose RabbitMQ fails", (server) => {
  let proxy: TcpProxy;
  beforeAll(async () => {
    proxy = await tcpProxy(server());
    await settleQueues();
  });
  beforeEach(async () => {
    proxy.heal();
    await server().start();
  });
  afterAll(() => proxy.close());

  const straight = (namespace: string, options: Partial<TrialOptions> = {}) => amqpTrial({ url: server().url, namespace, ...options });
  const proxied = (namespace: string, options: Partial<TrialOptions> = {}) =>
    amqpTrial({ url: proxy.through(server().url), namespace, ...options });

  /**
   * Declares the queues for the kill tests, and then stops the server cleanly once. RabbitMQ 3.10.8 loses a quorum queue that was declared less than
   * two seconds before a kill (measured), because the queue's metadata is not on disk yet.
   */
  async function settleQueues(): Promise<void> {
    for (const namespace of ["kill", "ladder"]) {
      await using trial = await straight(namespace);
      const { deliveries } = await collect(trial, "orders", ({ count }) => (count === 1 ? LATER : ACK));
      await trial.bus.publish(probe("orders", "first"));
      await deliveries.until("the ladder was needed", ({ length }) => length >= 2);
    }
    await server().stop();
  }

  it("loses no confirmed message when it is killed, rejects the rest at once, and resumes consuming automatically", async () => {
    await using trial = await straight("kill");
    const { deliveries } = await collect(trial, "orders", undefined, { concurrency: 16 });
    const confirmed: string[] = [];
    const rejected: unknown[] = [];
    const enough = Promise.withResolvers<void>();
    const publishing = Array.from({ length: 32 }, async (_, worker) => {
      for (let n = 0; ; n++) {
        const id = `${worker}-${n}`;
        try {
          await trial.bus.publish(probe("orders", id));
        } catch (error) {
          rejected.push(error);
          return;
        }
        confirmed.push(id);
        if (confirmed.length === 500) enough.resolve();
      }
    });
    await within(PATIENCE_MS, "500 messages are confirmed", enough.promise);
    await server().kill();
    await within(PATIENCE_MS, "what was under way is rejected", Promise.all(publishing));
    expect(rejected.length).toBe(32);
    expect(rejected.every((error) => error instanceof BusUnavailable)).toBe(true);

    await server().start();
    await trial.logged(BACK, BOTH);
    await deliveries.until("every confirmed message arrives", allArrived(confirmed));
    await trial.bus.publish(probe("orders", "afterwards"));
    await deliveries.until("what is published afterwards arrives", allArrived(["afterwards"]));
  });

  it("takes back a handler's messages when it restarts, and delivers them again", async () => {
    await using trial = await straight("restart");
    const release = Promise.withResolvers<void>();
    const { deliveries } = await collect(trial, "orders", async ({ count }) => {
      if (count === 1) await release.promise;
      return ACK;
    });
    await trial.bus.publish(probe("orders", "held"));
    const [before] = await deliveries.until("a handler holds it", allArrived(["held"]));
    expect(before?.signal.aborted).toBe(false);
    await server().stop();
    await trial.logged(LOST, BOTH);
    expect(before?.signal.aborted).toBe(true);
    await server().start();
    const [, after] = await deliveries.until("it comes again", ({ length }) => length >= 2);
    expect(after?.message).toEqual(before?.message);
    expect(after?.count).toBeGreaterThan(1);
    release.resolve();
  });

  it("restores messages that waited in the retry ladder when it was killed", async () => {
    await using trial = await straight("ladder");
    const { deliveries } = await collect(trial, "orders", ({ count }) => (count === 1 ? LATER : ACK));
    const ids = Array.from({ length: 20 }, (_, n) => `later-${n}`);
    await Promise.all(ids.map((id) => trial.bus.publish(probe("orders", id))));
    await deliveries.until("each was delivered once", allArrived(ids));
    await server().kill();
    await server().start();
    await deliveries.until("each comes again", (all) => ids.every((id) => idsOf(all).filter((other) => other === id).length >= 2));
  });

  it("delivers announcements to its listeners again, and is ready then", async () => {
    await using trial = await straight("broadcast");
    const heard = record<string>(trial);
    await trial.bus.listen("news", ({ id }) => heard.add(id));
    expect(trial.bus.unready()).toEqual([]);
    await server().kill();
    await trial.logged(LOST, BOTH);
    expect(trial.bus.unready()).toEqual(["the connection to RabbitMQ is down"]);
    await expect(trial.bus.announce(probe("news", "unheard"))).rejects.toBeInstanceOf(BusUnavailable);
    await server().start();
    await trial.logged(BACK, BOTH);
    expect(trial.bus.unready()).toEqual([]);
    await trial.bus.announce(probe("news", "heard"));
    await heard.until("it is heard", (all) => all.includes("heard"));
  });

  it("lets a bus close while it is down", async () => {
    await using trial = await straight("away");
    const never = Promise.withResolvers<never>();
    const { deliveries } = await collect(trial, "orders", () => never.promise);
    await trial.bus.publish(probe("orders", "held"));
    const [held] = await deliveries.until("a handler holds it", allArrived(["held"]));
    await server().kill();
    await within(PATIENCE_MS, "the bus closes", trial.bus.close());
    expect(held?.signal.aborted).toBe(true);
  });

  it("is left silently by a closing bus, even if its connections break meanwhile", async () => {
    await using trial = await proxied("silence", { drainMs: PATIENCE_MS });
    const release = Promise.withResolvers<void>();
    await trial.bus.listen("news", () => undefined);
    const { deliveries } = await collect(trial, "orders", async () => {
      await release.promise;
      return ACK;
    });
    await trial.bus.publish(probe("orders", "held"));
    const [held] = await deliveries.until("a handler holds it", allArrived(["held"]));
    const takenBack = aborted(held);
    const closed = trial.bus.close();
    proxy.cut();
    await within(PATIENCE_MS, "the delivery is taken back", takenBack);
    release.resolve();
    await within(PATIENCE_MS, "the bus closes", closed);
    expect(trial.lines.items).toEqual([]);
  });

  it("settles a delivery on its own channel only, if the connection broke in between", async () => {
    await using trial = await proxied("cut");
    const releases = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const ended = record<number>(trial);
    const { deliveries } = await collect(trial, "orders", async ({ count }) => {
      await releases[count - 1]?.promise;
      ended.add(count);
      return ACK;
    });
    await trial.bus.publish(probe("orders", "twice"));
    await deliveries.until("a handler holds it", ({ length }) => length === 1);
    proxy.cut();
    await deliveries.until("it comes again, over another connection", ({ length }) => length === 2);
    // Both deliveries have the same tag. If both were acked, RabbitMQ would close the channel and deliver the message a third time.
    releases[0]?.resolve();
    await ended.until("the first handler ends", ({ length }) => length === 1);
    releases[1]?.resolve();
    await ended.until("the second handler ends", ({ length }) => length === 2);
    await trial.bus.publish(probe("orders", "behind"));
    const seen = await deliveries.until("the next one arrives", allArrived(["behind"]));
    expect(idsOf(seen)).toEqual(["twice", "twice", "behind"]);
    expect(trial.lines.items.filter((line) => line.includes("a channel was closed"))).toEqual([]);
  });

  it("rejects messages in flight when the connection is cut, and publishes again at once", async () => {
    await using trial = await proxied("cut-publishing");
    const { deliveries } = await collect(trial, "orders");
    const lost = proxy.dropNextReply();
    await expect(trial.bus.publish(probe("orders", "unknown"))).rejects.toBeInstanceOf(BusUnavailable);
    expect(await lost).toBe(true);
    // The publish waits for the new connection.
    await trial.bus.publish(probe("orders", "unknown"));
    await deliveries.until("it arrives", allArrived(["unknown"]));
  });

  it("notices a half-open connection by its heartbeat", async () => {
    await using trial = await proxied("half-open", { query: { heartbeat: "1" } });
    const never = Promise.withResolvers<never>();
    // "unknown" may arrive as well. The broker receives the data that the proxy held back, unless the broker has already closed the connection.
    const { deliveries } = await collect(trial, "orders", ({ count, message: { id } }) =>
      id === "held" && count === 1 ? never.promise : ACK,
    );
    await trial.bus.publish(probe("orders", "held"));
    const [held] = await deliveries.until("a handler holds it", allArrived(["held"]));
    const takenBack = aborted(held);
    proxy.blackHole();
    await expect(trial.bus.publish(probe("orders", "unknown"))).rejects.toBeInstanceOf(BusUnavailable);
    await within(PATIENCE_MS, "the delivery is taken back", takenBack);
    proxy.heal();
    await deliveries.until("it comes again", (all) => idsOf(all).filter((id) => id === "held").length >= 2);
    await trial.bus.publish(probe("orders", "afterwards"));
    await deliveries.until("what is published afterwards arrives", allArrived(["afterwards"]));
  });

  it("rejects a message that is not confirmed in time, and continues when the broker does", async () => {
    await using trial = await proxied("deadline", { confirmMs: 300 });
    const { deliveries } = await collect(trial, "orders");
    proxy.blackHole();
    await expect(trial.bus.publish(probe("orders", "late"))).rejects.toThrow(
      /^RabbitMQ did not confirm a message for "orders" within 300 ms\.$/,
    );
    proxy.heal();
    await deliveries.until("it arrives all the same", allArrived(["late"]));
    await trial.bus.publish(probe("orders", "afterwards"));
    await deliveries.until("what is published afterwards arrives", allArrived(["afterwards"]));
    expect(trial.lines.items).toEqual([]);
  });

  it("closes a bus whose connection is half open", async () => {
    await using trial = await proxied("close-half-open");
    await collect(trial, "orders");
    proxy.blackHole();
    await within(PATIENCE_MS, "the bus closes", trial.bus.close());
  });
});

function aborted(delivery: Delivery | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  delivery?.signal.addEventListener("abort", () => resolve());
  return promise;
}
