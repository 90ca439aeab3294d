import { type MessageBus, NotPermitted, Unroutable } from "@toolbus/bus";
import { attributes, DEFAULT_AGENT, shardOf } from "@toolbus/contracts";
import type { RecordSecurityEvent } from "../sealed/security.ts";

/**
 * Publishes answers to agents. An answer for an agent that does not exist is dropped, with a sampled security event: the requester names the recipient, and
 * otherwise the outbox would repeat an unreadable answer forever. A name that this service may not write to is dropped at once, a topic without a queue
 * after `UNREAD_MS`, because its agent may be starting. An honest agent asks again and is answered again.
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
