import type { Channel } from "amqplib";
import { topics } from "@toolbus/contracts";
import { BusUnavailable } from "../message-bus.ts";
import type { PipelineLog } from "../pipeline-log.ts";
import { brokerAnswer } from "./broker-answer.ts";
import { brokerReply, guardedChannel } from "./guarded-channel.ts";
import type { Session } from "./link.ts";
import { EXCHANGE_KINDS, exchangeName, type QueueDeclaration, queueDeclaration, rungDeclaration } from "./topology.ts";

/**
 * Declares exchanges and queues. Repeating a declaration is safe. If the user has no right to declare, an operator must have declared these objects.
 * Rejects with `BusUnavailable` if an object is then missing, or exists with other properties.
 */
export interface Declarer {
  exchanges(session: Session): Promise<void>;
  /** Declares the queue of a topic and its dead queue, so that a dead letter is routed before anyone reads it. */
  queue(session: Session, topic: string): Promise<void>;
  /** Declares one rung of a topic's retry ladder. */
  rung(session: Session, topic: string, rungMs: number): Promise<void>;
}

export function declarer(namespace: string, log: PipelineLog): Declarer {
  return {
    exchanges,
    async queue(session, topic) {
      await exchanges(session);
      await queue(session, queueDeclaration(namespace, topics.dead(topic)));
      await queue(session, queueDeclaration(namespace, topic));
    },
    rung: (session, topic, rungMs) => queue(session, rungDeclaration(namespace, topic, rungMs)),
  };

  function exchanges(session: Session): Promise<void> {
    const names = EXCHANGE_KINDS.map((kind) => exchangeName(namespace, kind));
    return declared(session, `the exchanges of "${namespace}"`, {
      declare: async (channel) => {
        for (const name of names) await channel.assertExchange(name, "topic", { durable: true });
      },
      check: async (channel) => {
        for (const name of names) await channel.checkExchange(name);
      },
    });
  }

  function queue(session: Session, { name, arguments: args, bindings }: QueueDeclaration): Promise<void> {
    return declared(session, `the queue "${name}"`, {
      declare: async (channel) => {
        await channel.assertQueue(name, { durable: true, arguments: args });
        for (const { exchange, routingKey } of bindings) await channel.bindQueue(name, exchange, routingKey);
      },
      check: async (channel) => void (await channel.checkQueue(name)),
    });
  }

  /**
   * Declares an object, or only checks it if the user may not declare. A refusal closes the channel, so each of the two steps has its own channel.
   */
  async function declared(session: Session, what: string, { declare, check }: Declaration): Promise<void> {
    try {
      await onChannel(session, what, declare);
    } catch (error) {
      if (mentions(error, /^ACCESS_REFUSED/)) return onChannel(session, what, check);
      if (!mentions(error, /inequivalent arg/)) throw error;
      throw new BusUnavailable(
        `RabbitMQ already has ${what}, with other properties; delete that one, or set another namespace in BUS_URL.`,
        { cause: error },
      );
    }
  }

  function onChannel({ model, gone }: Session, what: string, work: (channel: Channel) => Promise<void>): Promise<void> {
    return brokerAnswer(what, gone, async () => {
      const guarded = guardedChannel(await model.createChannel(), log);
      try {
        await work(guarded.channel);
      } finally {
        void guarded.end();
      }
    });
  }
}

interface Declaration {
  readonly declare: (channel: Channel) => Promise<void>;
  /** Only checks that the object exists, which needs no right. */
  readonly check: (channel: Channel) => Promise<void>;
}

function mentions(error: unknown, words: RegExp): boolean {
  return error instanceof BusUnavailable && words.test(brokerReply(error.cause) ?? "");
}
