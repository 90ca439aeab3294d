import { listenTo, type Subscription } from "@toolbus/bus";
import {
  MAX_INDEXED_SERVERS,
  McpMetadataRefresh,
  type McpServersIndexed,
  type Message,
  message,
  messageIds,
  messageTypes,
  parser,
  topics,
} from "@toolbus/contracts";
import type { Infrastructure } from "@toolbus/runtime";
import type { McpBridge } from "./mcp-bridge.ts";

export interface Announced extends Pick<Subscription, "stop"> {
  /** Announces the servers to every listener. The announcement may be lost, so a failure is only logged. */
  announce(): Promise<void>;
}

const parseRefresh = parser(McpMetadataRefresh);

/**
 * Announces the servers of a bridge when it is told to, and when an agent asks for it. The announcement is a hint to read the registry, so the bridge
 * first registers a change and then announces it. Before the first announcement, the bridge does not answer, because it announces anyway.
 */
export async function announceServers(
  bridge: Pick<McpBridge, "indexed" | "toolset">,
  { bus, clock, log }: Pick<Infrastructure, "bus" | "clock" | "log">,
): Promise<Announced> {
  let begun = false;
  let underWay: Promise<void> | null = null;
  const subscription = await listenTo(bus, {
    topic: topics.mcpMetadataRefresh,
    types: [messageTypes.mcpMetadataRefresh],
    parse: parseRefresh,
    // Any number of requests that arrive during an announcement get this one answer.
    listener: () => {
      if (begun) underWay ??= say().finally(() => (underWay = null));
    },
    log,
  });
  return {
    announce() {
      begun = true;
      return say();
    },
    async stop() {
      await subscription.stop();
      await underWay;
    },
  };

  async function say(): Promise<void> {
    try {
      await bus.announce(indexedMessage(bridge, clock()));
    } catch (error) {
      log.warn({ error }, "the MCP servers could not be announced; agents read the registry anyway when a run begins");
    }
  }
}

/** Returns the announcement of the servers. A message has room for a limited number of servers, and it is only a hint. */
function indexedMessage({ indexed, toolset }: Pick<McpBridge, "indexed" | "toolset">, now: number): Message {
  const body: McpServersIndexed = { servers: indexed().slice(0, MAX_INDEXED_SERVERS) };
  return message({
    id: messageIds.other("mcp-indexed", toolset.name, now),
    topic: topics.mcpServersIndexed,
    type: messageTypes.mcpServersIndexed,
    source: `worker.${toolset.name}`,
    now,
    body,
  });
}
