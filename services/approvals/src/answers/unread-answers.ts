import { type MessageBus, NotPermitted, Unroutable } from "@toolbus/bus";
import { attributes, DEFAULT_AGENT, shardOf } from "@toolbus/contracts";
import type { RecordSecurityEvent } from "../sealed/security.ts";

/**
 * Publishes answers to agents. It drops an answer to an agent that does not exist, and records a sampled security event. The request names the
 * recipient, so otherwise the outbox would repeat an unreadable answer forever. An answer to a name that this service may not write to is dropped at
 * once. An answer to a topic without a queue is dropped after `UNREAD_MS`, because its agent may be starting. An honest agent repeats its request.
 */
export function answersToAgents({
  bus,
  security,
  clock,
}: {
  readonly bus: Pick<MessageBus, "publish">;
  readonly security: RecordSecurityEvent;
  /** The store's time. */
  readonly clock: () => number;
}): Pick<MessageBus, "publish"> {
  return {
    async publish(message) {
      try {
        await bus.publish(message);
      } catch (error) {
        const isNobody = error instanceof Unroutable && (error instanceof NotPermitted || clock() - Date.parse(message.time) > UNREAD_MS);
        if (!isNobody || message.correlationId === undefined) throw error;
        const { [attributes.agent]: by = DEFAULT_AGENT } = message.attributes;
        await security(shardOf(message.correlationId), { kind: "message_refused", by, details: { topic: message.topic, why: error.code } });
      }
    },
  };
}

const UNREAD_MS = 600_000;
