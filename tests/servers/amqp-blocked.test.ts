import { collect, probe } from "@toolbus/bus/conformance";
import { healthRoutes } from "@toolbus/runtime";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { amqpTrial } from "./amqp-trial.ts";

const REASON = /^RabbitMQ is short of memory or disk and accepts no messages for now\.$/;

describeOnPrivateServer(
  "rabbitmq",
  "a bus on a RabbitMQ short of memory",
  (server) => {
    it("lets messages wait for their time, says why it rejects them, and still consumes", async () => {
      await using trial = await amqpTrial({ url: server().url, namespace: "blocked", confirmMs: 500 });
      await collect(trial, "orders");
      // RabbitMQ blocks a connection when that connection first publishes.
      await expect(trial.bus.publish(probe("orders", "first"))).rejects.toThrow(REASON);
      await trial.logged("RabbitMQ is short of memory or disk and accepts no messages for now");
      // The bus still delivers, and the messages of services wait in their outboxes.
      expect(trial.bus.unready()).toEqual([]);
      // `toolbus doctor` reads the warning from the service's readiness.
      const [ready] = healthRoutes({ unready: () => [], needs: [], warnings: () => trial.bus.warnings?.() ?? [] }).slice(1);
      const reply = { code: () => reply, header: () => reply };
      const said = ready?.handle({ params: {}, query: {} } as never, reply as never, {} as never);
      expect(await said).toMatchObject({
        status: "ready",
        warnings: [expect.stringMatching(/^RabbitMQ is short of memory or disk and accepts no messages: make room/)],
      });
      await expect(trial.bus.announce(probe("orders", "second"))).rejects.toThrow(REASON);
      // The bus consumes on another connection, which RabbitMQ does not block.
      const { subscription } = await collect(trial, "refunds");
      await subscription.stop();
    });
  },
  { settings: { "vm_memory_high_watermark.absolute": "1MB" } },
);
