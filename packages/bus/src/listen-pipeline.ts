import type { Message } from "@toolbus/contracts";
import type { MessageBus, Subscription } from "./message-bus.ts";
import { faultFields, loggedId, type PipelineLog } from "./pipeline-log.ts";
import { readStrictly, type Strictness } from "./strict-message.ts";

export interface ListenOptions<T> extends Strictness<T> {
  readonly topic: string;
  readonly listener: (message: Message, body: T) => void | Promise<void>;
  readonly log: PipelineLog;
}

/**
 * Listens to a broadcast. It checks each announcement as `consumeQueue` checks a message, except for the time. An announcement is only a hint. So the
 * pipeline drops it, with a line in the log, if the pipeline cannot read it or the listener fails.
 */
export function listenTo<T>(bus: MessageBus, options: ListenOptions<T>): Promise<Subscription> {
  const { topic, listener, log } = options;
  return bus.listen(topic, (message) => void hear(message));

  async function hear(message: Message): Promise<void> {
    const read = readStrictly(message, options);
    if (!read.ok)
      return log.warn({ topic, messageId: loggedId(message.id), reason: read.reason }, "an announcement that cannot be read is dropped");
    try {
      await listener(message, read.body);
    } catch (error) {
      log.error({ ...faultFields(error), topic, messageId: loggedId(message.id) }, "a listener failed and the announcement is dropped");
    }
  }
}
