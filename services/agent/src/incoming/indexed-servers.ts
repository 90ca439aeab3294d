import { listenTo, type MessageBus, type Subscription } from "@toolbus/bus";
import { McpServersIndexed, messageTypes, parser, topics } from "@toolbus/contracts";
import type { Log } from "@toolbus/telemetry";
import type { ToolOffers } from "../tool-offers.ts";

const parseIndexed = parser(McpServersIndexed);

/**
 * Reads the registry when a bridge announces that the tools of MCP servers may have changed. The definitions are then judged before the next run
 * needs them. The content of the announcement decides nothing, because anybody on the bus can send one. A flood of announcements causes one read at a
 * time. `stop` waits for the pending read.
 */
export async function followIndexedServers(
  bus: MessageBus,
  { toolOffers, log }: { readonly toolOffers: Pick<ToolOffers, "readAhead">; readonly log: Log },
): Promise<Pick<Subscription, "stop">> {
  let again = false;
  let reading: Promise<void> | null = null;
  let stopped = false;
  const subscription = await listenTo(bus, {
    topic: topics.mcpServersIndexed,
    types: [messageTypes.mcpServersIndexed],
    parse: parseIndexed,
    listener: () => {
      again = true;
      reading ??= readAll().finally(() => (reading = null));
    },
    log,
  });
  return {
    async stop() {
      stopped = true;
      await subscription.stop();
      await reading;
    },
  };

  async function readAll(): Promise<void> {
    while (again && !stopped) {
      again = false;
      await toolOffers
        .readAhead()
        .catch((error: unknown) => log.warn({ error }, "the registry could not be read after MCP servers changed; the next run reads it"));
    }
  }
}
