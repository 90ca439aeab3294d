import {
  defineService,
  healthRoutes,
  type Infrastructure,
  type Route,
  type Service,
  startHttpServer,
  startOutbox,
  startTimerLoop,
  storeReadiness,
  watchedApiKeys,
  webhookDocs,
  WEBHOOKS_TAG,
} from "@toolbus/runtime";
import { nameOwners } from "@toolbus/tool-kit";
import { isReplayTimer, onReplayTimer } from "./dead-letters/replay-timer.ts";
import { entryTimers } from "./entry-timer.ts";
import type { Gateway } from "./gateway.ts";
import { agentRoutes } from "./routes/agents.ts";
import { conversationRoutes } from "./routes/conversations.ts";
import { deadLetterRoutes } from "./routes/dead-letters.ts";
import { evidenceRoutes } from "./routes/evidence.ts";
import { mediaRoutes } from "./routes/media.ts";
import { investigationRoutes } from "./routes/investigations.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { limitsOf } from "./routes/limits.ts";
import { recordRoutes } from "./routes/records.ts";
import { runEventRoutes } from "./routes/run-events.ts";
import { runRoutes } from "./routes/runs.ts";
import { toolRoutes } from "./routes/tools.ts";
import { triggerRoutes } from "./routes/triggers.ts";
import { failedWebhookRoutes } from "./routes/webhooks.ts";
import { runsUnderWay } from "./runs-under-way.ts";
import { type GatewayConfig, gatewaySettings, GATEWAY_SERVICE } from "./settings.ts";
import { startFeed } from "./stream/feed.ts";
import { openStreams } from "./stream/open-streams.ts";

/** The gateway authenticates callers, accepts their requests and streams events. It has no code of the agent and no credential of an approver. */
export const gateway = defineService({
  name: "gateway",
  settings: gatewaySettings,
  identity: ({ GATEWAY_KEY_FILE }) => ({
    setting: "GATEWAY_KEY_FILE",
    file: GATEWAY_KEY_FILE,
    names: [GATEWAY_SERVICE],
    verifiedAs: [GATEWAY_SERVICE],
  }),
  async start(infrastructure, config) {
    const { log, clock } = infrastructure;
    const keys = await watchedApiKeys(config.GATEWAY_API_KEYS_FILE, { log, clock });
    const core = startGatewayCore(infrastructure, config, keys.warnings);
    try {
      const server = await startHttpServer({
        name: "gateway",
        host: config.GATEWAY_HOST,
        port: config.GATEWAY_PORT,
        keys,
        routes: core.routes,
        api: ABOUT,
        config,
        monotonic: infrastructure.monotonic,
        log: infrastructure.log,
        onStopping: async () => core.parts.streams.bye(),
      });
      return {
        url: server.url,
        routes: server.routes,
        unready: core.unready,
        async stop() {
          core.retire();
          await server.stop();
          keys.stop();
          await core.stop();
        },
      };
    } catch (error) {
      keys.stop();
      await core.stop();
      throw error;
    }
  },
});

const ABOUT = {
  title: "Toolbus gateway",
  description: [
    "Conversations, investigations and runs, with the stream of their events. Approvals are decided elsewhere, at the address of the approvals service, with separate keys.",
    "Send an API key as `Authorization: Bearer <key>`. Objects of other principals are not found; an operator sees, and may cancel, all of the tenant.",
    "Times are milliseconds since 1970. Every refusal is `application/problem+json` (RFC 9457): match on its `code`.",
  ].join("\n\n"),
  tags: {
    Conversations: "Conversations with an agent: past messages, and new ones.",
    Investigations: "Releases and alerts that an agent assesses.",
    Triggers: "Webhooks that start investigations, each with a key that may do nothing else.",
    Runs: "What agents do for one message or investigation: its state, and the stream of its events.",
    "Dead letters": "Messages that nobody could use, and their replay; for operators.",
    [WEBHOOKS_TAG]: "The webhook events of runs, and the deliveries that failed; the latter are for operators.",
    Tools: "The registered tools, and whether a worker serves them.",
    Agents: "The agents that take runs, and whether they are alive.",
  },
  webhooks: webhookDocs(["run.ended"]),
} as const;

/** Timers of entries are handled together, so that many of them cost little more than one. */
const TIMERS_TOGETHER = 128;

/** The gateway without its HTTP port. It accepts and announces entries, follows the feed, and has the routes for a server. */
export interface GatewayCore extends Service {
  readonly parts: Gateway;
  readonly routes: readonly Route[];
  /** Reports from now on that the gateway is not ready. Active requests may still finish. Call `stop` when they have finished. */
  readonly retire: () => void;
}

/** Starts the gateway. From now on, the gateway announces each accepted entry until an agent takes the entry. */
export function startGatewayCore(
  infrastructure: Infrastructure,
  config: GatewayConfig,
  keyWarnings: () => readonly string[] = () => [],
): GatewayCore {
  const { bus, state, log, identity, trusted, random, clock, clocks, storeNeed = storeReadiness(infrastructure) } = infrastructure;
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
    underWay: runsUnderWay({ state, config, monotonic: infrastructure.monotonic }),
    config,
    identity,
    owners: nameOwners({ approvals: trusted.of("approvals"), log }),
    random,
    clock,
    log,
  };
  const onEntryTimer = entryTimers(state, outbox, config);
  const timers = startTimerLoop({
    state,
    service: GATEWAY_SERVICE,
    handle: (timer) => (isReplayTimer(timer) ? onReplayTimer(state, outbox, config, timer) : onEntryTimer(timer)),
    log,
    clock,
    pollMs: config.POLL_MS,
    visibleMs: config.WAKE_REPEAT_MS,
    batch: TIMERS_TOGETHER,
    random: () => (random(1)[0] ?? 0) / 256,
  });
  let stopping = false;
  const unready = (): readonly string[] => (stopping ? ["stopping"] : []);
  const limits = limitsOf(parts);
  const mcp = mcpRoutes(parts, limits);
  return {
    parts,
    routes: [
      ...conversationRoutes(parts, limits),
      ...investigationRoutes(parts, limits),
      ...triggerRoutes(parts, limits),
      ...runRoutes(parts, limits),
      ...runEventRoutes(parts, limits),
      ...recordRoutes(parts),
      ...evidenceRoutes(parts),
      ...mediaRoutes(parts),
      ...toolRoutes(parts),
      ...mcp.routes,
      ...agentRoutes(parts),
      ...deadLetterRoutes(parts, limits),
      ...failedWebhookRoutes(parts, limits),
      ...healthRoutes({
        unready: () => [...unready(), ...bus.unready()],
        needs: [storeNeed],
        clocks,
        warnings: () => [...keyWarnings(), ...(bus.warnings?.() ?? [])],
      }),
    ],
    unready,
    retire: () => void (stopping = true),
    async stop() {
      stopping = true;
      await timers.stop();
      await mcp.stop();
      await parts.feed.stop();
      await outbox.stop();
    },
  };
}
