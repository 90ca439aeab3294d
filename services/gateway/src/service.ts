import { apiKeysFromFile, defineService, startHttpServer, startOutbox, startTimerLoop } from "@toolbus/runtime";
import { onEntryTimer } from "./entry-timer.ts";
import type { Gateway } from "./gateway.ts";
import { healthRoutes } from "./routes/health.ts";
import { investigationRoutes } from "./routes/investigations.ts";
import { runRoutes } from "./routes/runs.ts";
import { toolRoutes } from "./routes/tools.ts";
import { gatewaySettings, GATEWAY_SERVICE } from "./settings.ts";
import { startFeed } from "./stream/feed.ts";
import { openStreams } from "./stream/open-streams.ts";

/** The gateway: who asks, what was accepted, and the stream of what happens. No agent code, no approver's credential. */
export const gateway = defineService({
  name: "gateway",
  settings: gatewaySettings,
  async start({ bus, state, log, random, clock }, config) {
    const keys = await apiKeysFromFile(config.GATEWAY_API_KEYS_FILE);
    const outbox = startOutbox({
      state,
      bus,
      service: GATEWAY_SERVICE,
      log,
      visibilityMs: config.OUTBOX_VISIBILITY_MS,
      pollMs: config.POLL_MS,
    });
    const parts: Gateway = {
      state,
      outbox,
      feed: startFeed(state, log),
      streams: openStreams(config.SSE_PER_PRINCIPAL),
      config,
      random,
      clock,
      log,
    };
    const timers = startTimerLoop({
      state,
      service: GATEWAY_SERVICE,
      handle: (timer) => onEntryTimer(state, outbox, config, timer),
      log,
      pollMs: config.POLL_MS,
      visibleMs: config.WAKE_REPEAT_MS,
      random: () => (random(1)[0] ?? 0) / 256,
    });
    const stopLoops = async (): Promise<void> => {
      await timers.stop();
      await parts.feed.stop();
      await outbox.stop();
    };
    let stopping = false;
    try {
      const server = await startHttpServer({
        name: "gateway",
        host: config.GATEWAY_HOST,
        port: config.GATEWAY_PORT,
        keys,
        routes: [...investigationRoutes(parts), ...runRoutes(parts), ...toolRoutes(parts), ...healthRoutes(parts)],
        log,
        onStopping: async () => parts.streams.bye(),
      });
      return {
        url: server.url,
        unready: () => (stopping ? ["stopping"] : []),
        async stop() {
          stopping = true;
          await server.stop();
          await stopLoops();
        },
      };
    } catch (error) {
      await stopLoops();
      throw error;
    }
  },
});
