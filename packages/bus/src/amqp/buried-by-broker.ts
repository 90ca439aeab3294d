import { type Message, messageTypes, topics } from "@toolbus/contracts";
import { deadLetterMessage } from "../dead-letter.ts";
import { earlierDeliveries } from "./delivery-count.ts";
import { queueName } from "./topology.ts";

/**
 * Returns the dead letter that the pipeline would have made of a message in a dead queue. When a message reaches a policy's limit, RabbitMQ moves it
 * to the dead queue unchanged, with its grant and call secret. A message that RabbitMQ did not give up is returned unchanged.
 */
export function asDeadLetter(message: Message, headers: Readonly<Record<string, unknown>>, { namespace, now }: Burial): Message {
  if (message.type === messageTypes.deadLetter) return message;
  const queue = message.topic.slice(DEAD.length);
  const ending = endingIn(queueName(namespace, queue), headers["x-death"]);
  if (ending === undefined) return message;
  // RabbitMQ does not report the deliveries of the message's last stay in the queue.
  const deliveries = earlierDeliveries(headers) + 1;
  return deadLetterMessage(
    { ...message, topic: queue },
    { queue, reason: `RabbitMQ gave up on it: ${ending}`, deliveries, history: [], now },
  );
}

export interface Burial {
  readonly namespace: string;
  /** The wall clock, in milliseconds. */
  readonly now: number;
}

const DEAD = topics.dead("");

/**
 * Returns the reason why the message left this queue, from RabbitMQ's own list. The list also contains stays in rungs of the retry ladder,
 * under other queues.
 */
function endingIn(queue: string, deaths: unknown): string | undefined {
  if (!Array.isArray(deaths)) return undefined;
  for (const death of deaths as readonly unknown[]) {
    if (typeof death !== "object" || death === null || !("queue" in death) || death.queue !== queue) continue;
    return "reason" in death && typeof death.reason === "string" ? death.reason : "it does not say why";
  }
  return undefined;
}
