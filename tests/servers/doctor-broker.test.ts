import { connectBus } from "@toolbus/bus";
import { ACK, probe, within } from "@toolbus/bus/conformance";
import { apiKeys, healthRoutes, startHttpServer } from "@toolbus/runtime";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { silentLog } from "@toolbus/telemetry";
import { expect, it } from "vitest";
import { TOOLBUS } from "../e2e/testing/cli-under-test.ts";
import { runProgram } from "../e2e/testing/program.ts";
import { natsClient } from "./nats-client.ts";
import { natsUrl } from "./nats-space.ts";

const PATIENCE_MS = 20_000;
const LARGE = JSON.stringify("x".repeat(200_000));

describeOnPrivateServer("nats", "toolbus doctor with a full stream", (server) => {
  it("fails while NATS refuses messages because it is full, with the remedy, and passes once one is stored", async () => {
    const bus = await connectBus(natsUrl(server().url, "full"), { clock: Date.now, connectForMs: PATIENCE_MS, drainMs: 300 });
    await using client = await natsClient(server().url);
    const routes = healthRoutes({ unready: () => bus.unready(), needs: [], warnings: () => bus.warnings?.() ?? [] });
    const health = await startHttpServer({
      name: "health",
      host: "127.0.0.1",
      port: 0,
      keys: apiKeys([], () => 0),
      routes,
      api: { title: "Health", description: "A service that publishes." },
      config: { HTTPS_ONLY: "false", CORS_ORIGINS: "", AUTH_FAILURES_PER_MINUTE: 0 },
      monotonic: () => performance.now(),
      log: silentLog,
    });
    try {
      const subscription = await bus.consume("orders", async () => ACK, { concurrency: 1 });
      await subscription.stop();
      expect(await broker(health.url)).toEqual([]);

      await expect(within(PATIENCE_MS, "the stream is full", untilFull())).rejects.toThrow(/is full/);
      // The bus still delivers, and the messages of services wait in their outboxes.
      expect(bus.unready()).toEqual([]);
      expect(await broker(health.url)).toEqual([
        expect.objectContaining({
          level: "fail",
          message: 'NATS accepts no messages for the "work" stream, which is full.',
          fix: expect.stringMatching(/^Check why its consumers are behind, or set more max-bytes in BUS_URL/),
        }),
      ]);

      await client.ask("$JS.API.STREAM.PURGE.FULL_WORK");
      await bus.publish(probe("orders", "small"));
      expect(await broker(health.url)).toEqual([]);
    } finally {
      await health.stop();
      await bus.close();
    }

    async function untilFull(): Promise<never> {
      for (let n = 0; ; n++) await bus.publish(probe("orders", `large-${n}`, { body: LARGE }));
    }
  });
});

async function broker(url: string) {
  const env = { TOOLBUS_URL: url, TOOLBUS_APPROVALS_URL: url };
  const { stdout } = await runProgram(TOOLBUS, ["doctor", "--json"], { env });
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly { readonly name: string }[] };
  return checks.filter(({ name }) => name === "broker");
}
