import { type Message, messageTypes, topics } from "@toolbus/contracts";
import { deadLetterMessage } from "../dead-letter.ts";
import { earlierDeliveries } from "./delivery-count.ts";
import { queueName } from "./topology.ts";

/**
 * RabbitMQ gives a message up when a policy's limit is reached, and moves it to the dead queue unchanged, with its grant and call secret. A consumer of
 * that queue on the bus gets the dead letter that the pipeline would have made. For a message of a dead queue; one that the broker did not give up is
 * returned unchanged.
 */
export function asDeadLetter(message: Message, headers: Readonly<Record<string, unknown>>, { namespace, now }: Burial): Message {
  if (message.type === messageTypes.deadLetter) return message;
  const queue = message.topic.slice(DEAD.length);
  const ending = endingIn(queueName(namespace, queue), headers["x-death"]);
  if (ending === undefined) return message;
  // RabbitMQ does not pass on the tries of its last stay in the queue.
  const deliveries = earlierDeliveries(headers) + 1;
  return deadLetterMessage({ ...message, topic: queue }, { queue, reason: `RabbitMQ gave it up: ${ending}`, deliveries, history: [], now });
}

export interface Burial {
  readonly namespace: string;
  /** Wall clock in milliseconds. */
  readonly now: number;
}

const DEAD = topics.dead("");

/** Why the message left a queue, by RabbitMQ's own list. A stay in a rung of the retry ladder is in that list too, under another queue. */
function endingIn(queue: string, deaths: unknown): string | undefined {
  if (!Array.isArray(deaths)) return undefined;
  for (const death of deaths as readonly unknown[]) {
    if (typeof death !== "object" || death === null || !("queue" in death) || death.queue !== queue) continue;
    return "reason" in death && typeof death.reason === "string" ? death.reason : "it does not say why";
  }
  return undefined;
}
