import { connectBus, type ConnectBusOptions, type MessageBus } from "@toolbus/bus";
import { record } from "@toolbus/bus/conformance";
import { amqpUrl } from "./amqp-space.ts";

export const PATIENCE_MS = 30_000;
const DRAIN_MS = 300;

export interface TrialOptions extends Partial<ConnectBusOptions> {
  readonly url: string;
  /** A word that no other test of the same server uses. */
  readonly namespace: string;
  /** More query parameters of the URL. */
  readonly query?: Readonly<Record<string, string>>;
}

/** Opens a bus and its log for one test on a private server. The result has the form that the functions of the conformance suite accept. */
export async function amqpTrial({ url, namespace, query, ...options }: TrialOptions) {
  const lines = record<string>({ patienceMs: PATIENCE_MS });
  const keep = (fields: object, words: string) => lines.add(`${words} ${JSON.stringify(fields)}`);
  const opened: MessageBus[] = [];
  const connect = async (at = url): Promise<MessageBus> => {
    const log = { warn: keep, error: keep };
    const bus = await connectBus(amqpUrl(at, namespace, query), { clock: Date.now, drainMs: DRAIN_MS, log, ...options });
    opened.push(bus);
    return bus;
  };
  return {
    bus: await connect(),
    connect,
    drainMs: DRAIN_MS,
    patienceMs: PATIENCE_MS,
    lines,
    /** Resolves when this many log lines contain the words. */
    logged: (words: string, times = 1) =>
      lines.until(`"${words}" is logged`, (all) => all.filter((line) => line.includes(words)).length >= times),
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((bus) => bus.close()));
    },
  };
}
