import { AsyncLocalStorage } from "node:async_hooks";
import type { Delivery, DeliveryHandler, Disposition, MessageBus } from "@toolbus/bus";
import { attributes, describeProblems, type KeptLetter, type Message, parseKeptLetter, topics } from "@toolbus/contracts";
import type { Change, StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/** The attribute that identifies a fuzzed message. The message's dead letter has it too. */
export const NUMBER = "fuzz-n";

/** The effects of one message, over all its deliveries. */
export interface Trace {
  /** The number of a fuzzed message, or null for a message that the services sent. */
  readonly n: number | null;
  readonly topic: string;
  readonly message: Message;
  /** True if a service stored or sent something because of the message. */
  acted: boolean;
  /** The dead letter of the message, or null if it has none. */
  letter: Message | null;
  /** The reason why a listener dropped the message. Null if none did. */
  dropped: string | null;
  kept: KeptLetter | null;
}

/** Receives the outcome of messages. */
export interface Watcher {
  /** Called when a delivery has ended without a retry. */
  settled(trace: Trace): void;
  /** Called when one more listener has received an announcement. */
  heard(trace: Trace): void;
  /** Called when a dead letter was stored as a document. */
  kept(letter: KeptLetter): void;
  /** Called when a message that the services sent had an effect. */
  acted(topic: string): void;
  /** Called for every message that the services send, including dead letters of fuzzed messages. */
  published(message: Message, by: Trace | undefined): void;
  committed(change: Change): void;
  /** Called for an event that must never happen. */
  fault(what: string): void;
}

export interface Witness {
  /** The bus for the services. */
  readonly bus: MessageBus;
  /** The bus for other users of the broker. A message that is sent here does not count as an effect of a service. */
  readonly outside: Pick<MessageBus, "publish" | "announce">;
  /** Resolves when all queues are empty. */
  idle(deadline: AbortSignal): Promise<void>;
  readonly state: StateStore;
  readonly log: Log;
  /** Returns the number of listeners of a topic. */
  listeners(topic: string): number;
  /** Every topic that is consumed or listened to. */
  readonly topics: ReadonlySet<string>;
}

/**
 * Wraps the bus and the store, and makes a log. All three report to the watcher what the services do with each message. They do not change what the
 * services do.
 */
export function witness(bus: MessageBus, state: StateStore, watcher: Watcher): Witness {
  const current = new AsyncLocalStorage<Trace>();
  const open = new Map<Message, Trace>();
  const listening = new Map<string, number>();
  const consumed = new Set<string>();
  let waiting = 0;
  let onIdle: (() => void) | null = null;
  return {
    outside: { publish, announce: (message) => bus.announce(message) },
    async idle(deadline) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      onIdle = resolve;
      deadline.addEventListener("abort", () => reject(new Error(`${waiting} messages still wait in queues.`)), { once: true });
      if (waiting === 0) resolve();
      await promise;
    },
    topics: consumed,
    listeners: (topic) => listening.get(topic) ?? 0,
    bus: {
      async publish(message) {
        const by = current.getStore();
        if (by && message.topic === topics.dead(by.topic)) by.letter = message;
        else act(by);
        watcher.published(message, by);
        await publish(message);
      },
      consume(topic, handler, options) {
        consumed.add(topic);
        return bus.consume(topic, (delivery) => take(topic, delivery, handler), options);
      },
      async announce(message) {
        const by = current.getStore();
        act(by);
        watcher.published(message, by);
        await bus.announce(message);
      },
      async listen(topic, listener) {
        consumed.add(topic);
        const { stop } = await bus.listen(topic, (message) => {
          const trace = traceOf(topic, message);
          current.run(trace, () => listener(message));
          watcher.heard(trace);
        });
        const count = (more: number): void => void listening.set(topic, (listening.get(topic) ?? 0) + more);
        count(1);
        return { stop: () => stop().then(() => count(-1)) };
      },
      unready: () => bus.unready(),
      close: () => bus.close(),
    },
    state: {
      ...state,
      async commit(shard, change) {
        const reply = await state.commit(shard, change);
        if (reply.outcome !== "ok") return reply;
        const by = current.getStore();
        if (change.op.startsWith("keep:dl_")) keep(change, by);
        act(by);
        watcher.committed(change);
        return reply;
      },
      async live(log, batch) {
        act(current.getStore());
        await state.live(log, batch);
      },
      page(index, options) {
        const by = current.getStore();
        // A listener of announcements reads an index and usually finds nothing new there. So this read counts as the announcement's effect.
        if (by && listening.has(by.topic)) act(by);
        return state.page(index, options);
      },
    },
    log: logOf({}),
  };

  async function publish(message: Message): Promise<void> {
    waiting++;
    try {
      await bus.publish(message);
    } catch (error) {
      waiting--;
      throw error;
    }
  }

  async function take(topic: string, delivery: Delivery, handler: DeliveryHandler): Promise<Disposition> {
    const { message } = delivery;
    // The bus in memory passes the same message object in every delivery.
    const trace = open.get(message) ?? traceOf(topic, message);
    open.set(message, trace);
    const settled = await current.run(trace, () => handler(delivery));
    if (settled.kind === "retry") return settled;
    open.delete(message);
    if (trace.letter) refuseSecrets(trace, trace.letter.body + JSON.stringify(trace.letter.attributes), "a dead letter");
    watcher.settled(trace);
    if (--waiting === 0) onIdle?.();
    return settled;
  }

  function keep({ put = [] }: Change, by: Trace | undefined): void {
    const letter = parseKeptLetter(put[0]?.value);
    if (!letter.ok) return watcher.fault(`a dead letter is kept that breaks its schema: ${describeProblems(letter.problems)}`);
    if (by) by.kept = letter.value;
    refuseSecrets(by, JSON.stringify(letter.value), "a kept dead letter");
    watcher.kept(letter.value);
  }

  function act(by: Trace | undefined): void {
    if (!by) return;
    by.acted = true;
    if (by.n === null) watcher.acted(by.topic);
  }

  function logOf(base: object): Log {
    return {
      debug: (fields, message) => line("debug", fields, message),
      info: (fields, message) => line("info", fields, message),
      warn: (fields, message) => line("warn", fields, message),
      error: (fields, message) => line("error", fields, message),
      child: (fields) => logOf({ ...base, ...fields }),
    };

    function line(level: string, fields: object, message: string): void {
      const by = current.getStore();
      const text = `${level} ${message} ${JSON.stringify({ ...base, ...fields }, errorAsText)}`;
      refuseSecrets(by, text, "a log line");
      if (level === "error") watcher.fault(`${by?.topic ?? "nobody's message"}: ${text.slice(0, 600)}`);
      if (by && message === "an announcement that cannot be read is dropped" && "reason" in fields) by.dropped = String(fields.reason);
    }
  }

  function refuseSecrets(by: Trace | undefined, text: string, where: string): void {
    const secrets = by ? secretsOf(by.message) : [];
    for (const secret of [SECRET_MARK, ...secrets])
      if (text.includes(secret)) watcher.fault(`${where} holds a secret of a message on ${by?.topic ?? "no topic"}: ${text.slice(0, 300)}`);
  }
}

/** Text that every invented grant and call secret contains. */
export const SECRET_MARK = "fuZZ5ecret";

/** Returns the values that only the receiver of a message may read. */
function secretsOf({ attributes: named }: Pick<Message, "attributes">): readonly string[] {
  return [named[attributes.grant], named[attributes.callSecret]].flatMap((value) =>
    value !== undefined && value.length > 8 ? [value] : [],
  );
}

/** Returns the number of a fuzzed message, or the number in its dead letter. */
export function numberOf({ attributes: named }: Pick<Message, "attributes">): number | null {
  const number = Object.hasOwn(named, NUMBER) ? named[NUMBER] : undefined;
  return number === undefined ? null : Number(number);
}

function traceOf(topic: string, message: Message): Trace {
  return { n: numberOf(message), topic, message, acted: false, letter: null, dropped: null, kept: null };
}

function errorAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message} ${value.stack ?? ""}` : value;
}
