import { type BusUnavailable, connectBus, type ConnectBusOptions, type MessageBus } from "@toolbus/bus";
import { ACK, allArrived, collect, idsOf, probe, record, within } from "@toolbus/bus/conformance";
import { type PrivateServer, startPrivateServer, type TcpProxy, tcpProxy } from "@toolbus/testing/servers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { natsUrl } from "./nats-space.ts";
import { silentJetStream } from "./silent-jetstream.ts";

const PATIENCE_MS = 20_000;
const NAMESPACE = "outages";

describe("a bus on NATS", () => {
  let server: PrivateServer;
  let proxy: TcpProxy;
  beforeAll(async () => {
    server = await startPrivateServer("nats");
    proxy = await tcpProxy(server);
  });
  beforeEach(() => server.start());
  afterAll(() => server.remove());
  afterAll(() => proxy.close());

  /** Opens a bus in its own namespace, directly or through the proxy, and records its log. */
  async function setup(name: string, { url = server.url, ...options }: { readonly url?: string } & Partial<ConnectBusOptions> = {}) {
    const lines = record<string>({ patienceMs: PATIENCE_MS });
    const keep = (fields: object, words: string) => lines.add(`${words} ${JSON.stringify(fields)}`);
    const connect = (at = url): Promise<MessageBus> =>
      connectBus(natsUrl(at, `${NAMESPACE}-${name}`), {
        clock: Date.now,
        connectForMs: PATIENCE_MS,
        drainMs: 300,
        log: { warn: keep, error: keep },
        ...options,
      });
    const bus = await connect();
    const others: MessageBus[] = [];
    const context = {
      bus,
      connect: async () => {
        const other = await connect(server.url);
        others.push(other);
        return other;
      },
      drainMs: 300,
      patienceMs: PATIENCE_MS,
    };
    const logged = (words: string) => lines.until(`"${words}" is logged`, (all) => all.some((line) => line.includes(words)));
    return {
      ...context,
      context,
      logged,
      lines,
      async [Symbol.asyncDispose]() {
        await Promise.all([bus, ...others].map((one) => one.close()));
      },
    };
  }

  describe("whose server is killed while messages are published", () => {
    it("loses no confirmed message, rejects the rest at once, and resumes consuming automatically", async () => {
      await using s = await setup("kill");
      const { deliveries } = await collect(s.context, "orders", undefined, { concurrency: 16 });
      const confirmed: string[] = [];
      const rejected: BusUnavailable[] = [];
      const enough = Promise.withResolvers<void>();
      let stop = false;
      const publishing = Array.from({ length: 32 }, async (_, worker) => {
        for (let n = 0; !stop; n++) {
          const id = `${worker}-${n}`;
          try {
            await s.bus.publish(probe("orders", id));
            confirmed.push(id);
          } catch (error) {
            rejected.push(error as BusUnavailable);
            return;
          }
          if (confirmed.length === 500) enough.resolve();
        }
      });
      await within(PATIENCE_MS, "500 messages are confirmed", enough.promise);
      const killed = performance.now();
      await server.kill();
      await within(5000, "what was under way is rejected", Promise.all(publishing));
      expect(performance.now() - killed).toBeLessThan(5000);
      stop = true;
      expect(rejected.length).toBe(32);
      expect(new Set(rejected.map(({ code }) => code))).toEqual(new Set(["bus_unavailable"]));

      await server.start();
      await s.logged("the connection to NATS is back");
      await deliveries.until("every confirmed message arrives", allArrived(confirmed));
    });
  });

  describe("whose server restarts", () => {
    it("acks messages that it handled meanwhile, so that they do not come again", async () => {
      await using s = await setup("restart");
      const release = Promise.withResolvers<void>();
      const { deliveries } = await collect(s.context, "orders", async ({ message }) => {
        if (message.id === "under way") await release.promise;
        return ACK;
      });
      await s.bus.publish(probe("orders", "under way"));
      const [held] = await deliveries.until("it is under way", allArrived(["under way"]));
      await server.stop();
      await s.logged("the connection to NATS was lost");
      release.resolve();
      await server.start();
      await s.logged("the connection to NATS is back");
      await s.bus.publish(probe("orders", "behind"));
      const seen = await deliveries.until("the next one arrives", allArrived(["behind"]));
      expect(held?.signal.aborted).toBe(false);
      expect(idsOf(seen)).toEqual(["under way", "behind"]);
    });

    it("receives announcements again, and is ready then", async () => {
      await using s = await setup("broadcast");
      const heard = record<string>({ patienceMs: PATIENCE_MS });
      await s.bus.listen("news", ({ id }) => heard.add(id));
      expect(s.bus.unready()).toEqual([]);
      await server.kill();
      await s.logged("the connection to NATS was lost");
      expect(s.bus.unready()).toEqual(["the connection to NATS is down"]);
      await expect(s.bus.announce(probe("news", "unheard"))).rejects.toMatchObject({ code: "bus_unavailable" });
      await server.start();
      await s.logged("the connection to NATS is back");
      expect(s.bus.unready()).toEqual([]);
      await s.bus.announce(probe("news", "heard"));
      await heard.until("it is heard", ({ length }) => length > 0);
      expect(heard.items).toEqual(["heard"]);
    });

    it("rejects at once what is published before it is back, and so does a consume, in its time", async () => {
      await using s = await setup("down", { confirmMs: 300 });
      await collect(s.context, "orders");
      await server.kill();
      await s.logged("the connection to NATS was lost");
      await expect(s.bus.publish(probe("orders", "lost"))).rejects.toMatchObject({ code: "bus_unavailable" });
      await expect(s.bus.publish(probe("unknown", "lost"))).rejects.toMatchObject({ code: "bus_unavailable" });
      await expect(s.bus.consume("others", async () => ACK, { concurrency: 1 })).rejects.toMatchObject({ code: "bus_unavailable" });
      await expect(s.bus.listen("news", () => undefined)).rejects.toMatchObject({ code: "bus_unavailable" });
    });

    it("closes while the server is away", async () => {
      await using s = await setup("close");
      const never = Promise.withResolvers<never>();
      const { deliveries } = await collect(s.context, "orders", () => never.promise);
      await s.bus.publish(probe("orders", "held"));
      const [held] = await deliveries.until("it is under way", allArrived(["held"]));
      await server.kill();
      await s.logged("the connection to NATS was lost");
      await within(5000, "the bus closes", s.bus.close());
      expect(held?.signal.aborted).toBe(true);
    });
  });

  describe("whose connection is cut", () => {
    it("continues with another one, and keeps its deliveries", async () => {
      await using s = await setup("cut", { url: proxy.through(server.url) });
      const release = Promise.withResolvers<void>();
      const { deliveries } = await collect(s.context, "orders", async ({ message }) => {
        if (message.id === "under way") await release.promise;
        return ACK;
      });
      await s.bus.publish(probe("orders", "under way"));
      await deliveries.until("it is under way", allArrived(["under way"]));
      proxy.cut();
      await s.logged("the connection to NATS is back");
      release.resolve();
      await s.bus.publish(probe("orders", "behind"));
      const seen = await deliveries.until("the next one arrives", allArrived(["behind"]));
      expect(idsOf(seen)).toEqual(["under way", "behind"]);
    });

    it("says that JetStream does not answer if it reaches a server without a leader, until it is back", async () => {
      await using silent = await silentJetStream();
      await using s = await setup("silent", { url: `${proxy.through(server.url)},${silent.address}`, confirmMs: 300 });
      await silent.listen();
      await proxy.refuse();
      proxy.cut();
      await s.logged(`JetStream at ${silent.address} does not answer`);
      expect(s.bus.unready()).toEqual(["JetStream does not answer"]);
      await silent[Symbol.asyncDispose]();
      await proxy.accept();
      await s.logged("the connection to NATS is back");
      expect(s.bus.unready()).toEqual([]);
    });

    it("does not report it while the bus closes", async () => {
      await using s = await setup("silence", { url: proxy.through(server.url), drainMs: PATIENCE_MS });
      const release = Promise.withResolvers<void>();
      await s.bus.listen("news", () => undefined);
      const { deliveries } = await collect(s.context, "orders", async () => {
        await release.promise;
        return ACK;
      });
      await s.bus.publish(probe("orders", "held"));
      await deliveries.until("a handler holds it", allArrived(["held"]));
      const closed = s.bus.close();
      proxy.cut();
      await expect(s.bus.publish(probe("orders", "lost"))).rejects.toMatchObject({ code: "bus_unavailable" });
      release.resolve();
      await within(PATIENCE_MS, "the bus closes", closed);
      expect(s.lines.items).toEqual([]);
    });

    it("rejects a message whose confirmation was lost, which still arrives and is no second one when published again", async () => {
      await using s = await setup("reply", { url: proxy.through(server.url) });
      await collect(s.context, "others");
      const reader = await s.connect();
      const { deliveries } = await collect(s.context, "orders", undefined, { bus: reader });
      // The bus knows now that the stream exists, so the next answer is the confirmation of a publish.
      await s.bus.publish(probe("orders", "first"));
      const lost = proxy.dropNextReply();
      await expect(s.bus.publish(probe("orders", "again"))).rejects.toMatchObject({ code: "bus_unavailable" });
      expect(await lost).toBe(true);
      await s.logged("the connection to NATS is back");
      await s.bus.publish(probe("orders", "again"));
      await s.bus.publish(probe("orders", "behind"));
      const seen = await deliveries.until("all arrive", allArrived(["first", "again", "behind"]));
      expect(idsOf(seen)).toEqual(["first", "again", "behind"]);
    });
  });

  describe("whose connection is a black hole", () => {
    const quick = { confirmMs: 60_000, nats: { timings: { pingMs: 200 } } };

    it("notices it by its pings, and continues with another one", async () => {
      await using s = await setup("hole", { url: proxy.through(server.url), ...quick });
      const { deliveries } = await collect(s.context, "orders");
      proxy.blackHole();
      await expect(s.bus.publish(probe("orders", "lost"))).rejects.toThrow("The connection to NATS was lost");
      proxy.heal();
      await s.logged("the connection to NATS is back");
      await s.bus.publish(probe("orders", "after"));
      await deliveries.until("the next one arrives", allArrived(["after"]));
    });

    it("also notices it with more to send than the connection accepts", async () => {
      await using s = await setup("full", { url: proxy.through(server.url), ...quick });
      const { deliveries } = await collect(s.context, "orders");
      proxy.blackHole();
      const body = JSON.stringify("x".repeat(250_000));
      const many = Array.from({ length: 200 }, (_, n) => s.bus.publish(probe("orders", `lost-${n}`, { body })));
      const endings = await within(PATIENCE_MS, "all are rejected", Promise.allSettled(many));
      expect(new Set(endings.map(({ status }) => status))).toEqual(new Set(["rejected"]));
      // The proxy must not deliver the data of the old connection any more.
      proxy.cut();
      proxy.heal();
      await s.logged("the connection to NATS is back");
      await s.bus.publish(probe("orders", "after"));
      await deliveries.until("the next one arrives", allArrived(["after"]));
    });

    it("gives up a message at its deadline if the server is paused, and a delivery when its time is over", async () => {
      await using s = await setup("paused", { confirmMs: 500, nats: { timings: { ackWaitMs: 1000, workingMs: 300, pingMs: 200 } } });
      const lost = record<string>({ patienceMs: PATIENCE_MS });
      const { deliveries } = await collect(
        s.context,
        "orders",
        async ({ message, count, signal }) => {
          if (count > 1) return ACK;
          const { promise: aborted, resolve } = Promise.withResolvers<unknown>();
          signal.addEventListener("abort", resolve, { once: true });
          await aborted;
          lost.add(message.id);
          return ACK;
        },
        { concurrency: 2 },
      );
      await s.bus.publish(probe("orders", "held"));
      await deliveries.until("it is under way", allArrived(["held"]));
      await server.pause();
      // The signal reaches the process with a delay, so the server may still confirm some messages.
      const untilRefused = async (): Promise<never> => {
        for (let n = 0; ; n++) await s.bus.publish(probe("orders", `late-${n}`));
      };
      await expect(within(PATIENCE_MS, "a message is refused", untilRefused())).rejects.toMatchObject({ code: "bus_unavailable" });
      await lost.until("the delivery is lost", (ids) => ids.includes("held"));
      await server.resume();
    });
  });
});
