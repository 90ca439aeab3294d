import { attributes, type Message } from "@toolbus/contracts";

/** The messages that the services sent each other, as a reader on the bus sees them. */
export interface Overheard {
  note(message: Message): void;
  /** Returns the latest messages on a topic, oldest first. */
  on(topic: string): readonly Message[];
  /** Drops messages about these runs. */
  forget(runIds: readonly string[]): void;
}

const MOST = 200;

export function overheard(): Overheard {
  const byTopic = new Map<string, readonly Message[]>();
  return {
    note(message) {
      // A replayed message has the same fault as the original message, so it is left out.
      if (attributes.replayOf in message.attributes) return;
      byTopic.set(message.topic, [...(byTopic.get(message.topic) ?? []), message].slice(-MOST));
    },
    on: (topic) => byTopic.get(topic) ?? [],
    forget(runIds) {
      const about = ({ id, correlationId = "" }: Message): boolean =>
        runIds.some((runId) => correlationId.startsWith(runId) || id.includes(runId));
      for (const [topic, messages] of byTopic)
        byTopic.set(
          topic,
          messages.filter((message) => !about(message)),
        );
    },
  };
}
