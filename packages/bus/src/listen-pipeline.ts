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
 * Listens to a broadcast. The pipeline checks each announcement as `consumeQueue` checks a message, except for the time. If the pipeline cannot read
 * an announcement, or if the listener fails, it logs a line and drops the announcement, which is only a hint.
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
