import { type Channel, type ChannelModel, connect } from "amqplib";
import { BusUnavailable } from "../message-bus.ts";
import { runWithin } from "../run-within.ts";
import type { AmqpSettings } from "./amqp-url.ts";
import { brokerReply } from "./guarded-channel.ts";
import { refusalOf } from "./refusal.ts";
import { settled } from "./settled.ts";

/** One connection for a few requests. Each request has its own channel, because a refusal by the broker closes the channel. */
export interface BrokerSession extends AsyncDisposable {
  /**
   * Does the work, and then waits until the broker has processed it. Returns the broker's refusal, or null if it refused nothing. Rejects with
   * `BusUnavailable` if the broker does not answer.
   */
  ask(work: (channel: Channel) => Promise<unknown> | boolean): Promise<string | null>;
}

export async function openBrokerSession(settings: AmqpSettings): Promise<BrokerSession> {
  const model = await open(settings);
  model.on("error", () => undefined);
  return {
    async ask(work) {
      const ending = await runWithin(ANSWER_MS, NEVER, () => asked(model, work));
      if (ending.kind === "done") return ending.value;
      throw ending.kind === "threw" ? ending.thrown : new BusUnavailable(`RabbitMQ did not answer within ${ANSWER_MS} ms.`);
    },
    [Symbol.asyncDispose]: async () => void (await settled(model.close(), CLOSE_MS)),
  };
}

const ANSWER_MS = 10_000;
const NEVER = new AbortController().signal;
const CLOSE_MS = 2000;

async function open(settings: AmqpSettings): Promise<ChannelModel> {
  const { protocol, host: hostname, port, user: username, password, vhost, heartbeat } = settings;
  try {
    return await connect({ protocol, hostname, port, username, password, vhost, heartbeat }, { timeout: ANSWER_MS, noDelay: true });
  } catch (error) {
    throw new BusUnavailable(refusalOf(error, settings).reason, { cause: error });
  }
}

async function asked(model: ChannelModel, work: (channel: Channel) => Promise<unknown> | boolean): Promise<string | null> {
  const channel = await model.createChannel();
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  channel.on("error", (error: unknown) => resolve(brokerReply(error) ?? "it closed the channel"));
  try {
    // A publish has no answer, so another request follows on the same channel. The broker answers this request only after it has accepted or
    // refused the publish.
    const done = async (): Promise<null> => {
      await work(channel);
      await channel.prefetch(1);
      return null;
    };
    const refused = await Promise.race([done(), closed]);
    if (refused === null) await channel.close();
    return refused;
  } catch (error) {
    const reply = brokerReply(error);
    if (reply === undefined) throw error;
    return reply;
  }
}
