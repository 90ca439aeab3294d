import { attributes, type KeptLetter, type Message, parseDeadLetter } from "@toolbus/contracts";
import type { FuzzTopic } from "./fuzz-topics.ts";
import { reasonName, REFUSALS, refusalOf } from "./refusals.ts";
import { type Tally, tally } from "./tally.ts";
import { NUMBER, numberOf, type Trace, type Watcher } from "./witness.ts";

/** A fuzzed message that has not ended yet. */
interface Open {
  readonly about: FuzzTopic;
  readonly message: Message;
  readonly mutation: string;
  /** The reason why the pipeline must refuse the message. Null if the message's handler must receive it. */
  readonly expected: string | null;
  /** The number of listeners that have not received the message yet. */
  unheard: number;
  /** The message's dead letter, until this letter is stored. */
  letter: { readonly reason: string; readonly deliveries: number; readonly history: number } | null;
}

/** The accounts of all fuzzed messages: what was sent, how each message ended, and what must not have happened. */
export interface Accounts extends Omit<Watcher, "committed"> {
  readonly tally: Tally;
  readonly faults: readonly string[];
  /** The number of all faults. `faults` contains only the first ones. */
  readonly faultCount: number;
  /** Records a message. The caller must call this before it sends the message. */
  open(message: Message, about: FuzzTopic, mutation: string, at: { readonly now: number; readonly listeners: number }): void;
  /** Resolves when every message that was sent has ended. */
  allEnded(signal: AbortSignal): Promise<void>;
  /** Forgets the messages of a wave. The caller must call this when no message is in transit. */
  waveOver(): void;
  /** Resolves when the next message of the services on this topic has an effect. */
  actsOn(topic: string, deadline: AbortSignal): Promise<void>;
  /** The latest dead letters that were stored. */
  readonly letters: readonly KeptLetter[];
}

export function accounts(): Accounts {
  const books = tally();
  const open = new Map<number, Open>();
  const faults: string[] = [];
  let faultCount = 0;
  const letters: KeptLetter[] = [];
  // The ids of the messages that the services sent because of a fuzzed message.
  const derived = new Set<string>();
  const timesSent = new Map<string, number>();
  const acting = new Map<string, (() => void)[]>();
  let idle: (() => void) | null = null;

  const self: Accounts = {
    tally: books,
    faults,
    get faultCount() {
      return faultCount;
    },
    letters,
    open(message, about, mutation, { now, listeners }) {
      const n = numberOf(message);
      if (n === null) throw new Error(`The message ${message.id} has no number.`);
      books.sent(about.topic);
      timesSent.set(message.id, (timesSent.get(message.id) ?? 0) + 1);
      open.set(n, { about, message, mutation, expected: refusalOf(message, about, now), unheard: listeners, letter: null });
    },
    settled(trace) {
      const one = trace.n === null ? null : open.get(trace.n);
      if (!one)
        return trace.n === null || attributes.replayOf in trace.message.attributes
          ? settledOfOurs(trace)
          : fault(`a message ended twice: ${trace.message.id}`);
      if (one.about.topic !== trace.topic) return fault(`a message of ${one.about.topic} came on ${trace.topic}`);
      if (one.about.kind === "dead") return endLetter(one, trace);
      if (!trace.letter) return end(one, trace.acted ? "done" : "dropped", null);
      const letter = parseDeadLetter(JSON.parse(trace.letter.body));
      if (!letter.ok) return fault(`a dead letter of ${trace.topic} breaks its schema`);
      const { reason, deliveries, history } = letter.value;
      // If several messages have the same id, the test cannot know which of them was tried.
      const exact = timesSent.get(one.message.id) === 1;
      if (exact ? history.length !== deliveries - 1 : history.length > deliveries - 1)
        fault(`${history.length} tries in the history of ${deliveries} deliveries: ${reason}`);
      one.letter = { reason, deliveries, history: history.length };
    },
    heard({ n, dropped }) {
      const one = n === null ? null : open.get(n);
      if (!one) return;
      if (dropped !== null && reasonName(dropped) !== one.expected) return mismatch(one, dropped);
      if (dropped === null && one.expected !== null) return mismatch(one, "heard");
      if (--one.unheard > 0) return;
      open.delete(n ?? 0);
      if (one.expected === null) books.done(one.about.topic);
      else books.refused(one.about.topic, one.expected);
      wake();
    },
    kept(letter) {
      letters.push(letter);
      if (letters.length > 200) letters.shift();
      const n = numberOf(letter.message);
      const one = n === null ? null : open.get(n);
      if (!one?.letter) return;
      const { reason, deliveries, history } = one.letter;
      if (letter.reason !== reason || letter.deliveries !== deliveries || letter.history.length !== history)
        fault(`a letter was kept as another: ${letter.reason}`);
      if (letter.queue !== one.about.topic || !one.message.id.startsWith(letter.message.id))
        fault(`a letter was kept for another queue or message: ${letter.queue}`);
      end(one, "refused", reason);
    },
    published(message, by) {
      if (by && (by.n !== null || derived.has(by.message.id))) derived.add(message.id);
    },
    acted(topic) {
      for (const resolve of acting.get(topic) ?? []) resolve();
      acting.delete(topic);
    },
    async actsOn(topic, deadline) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      acting.set(topic, [...(acting.get(topic) ?? []), resolve]);
      deadline.addEventListener("abort", () => reject(new Error(`A message on ${topic} had no effect in time.`)), { once: true });
      await promise;
    },
    fault,
    waveOver() {
      derived.clear();
      timesSent.clear();
    },
    allEnded(signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const late = (): void => reject(new Error(`${open.size} messages did not end in time, such as ${sample()}`));
      idle = resolve;
      signal.addEventListener("abort", late, { once: true });
      wake();
      return promise.finally(() => {
        idle = null;
        signal.removeEventListener("abort", late);
      });
    },
  };
  return self;

  function end(one: Open, how: "done" | "dropped" | "refused", reason: string | null): void {
    const { topic } = one.about;
    const name = reason === null ? null : reasonName(reason);
    if (reason !== null && name === null) fault(`${topic}, ${one.mutation}: an unknown reason: ${reason}`);
    if (one.expected !== null && name !== one.expected) mismatch(one, reason ?? how);
    if (one.expected === null && name !== null && REFUSED_BY_READING.has(name)) mismatch(one, reason ?? how);
    open.delete(numberOf(one.message) ?? 0);
    if (how === "refused") books.refused(topic, name ?? "unknown");
    else books[how](topic);
    wake();
  }

  /** Ends a message on a queue of dead letters. Every message on such a queue must be stored, even an invalid one. */
  function endLetter(one: Open, { kept, letter }: Trace): void {
    const { topic } = one.about;
    open.delete(numberOf(one.message) ?? 0);
    if (letter) fault(`${topic}, ${one.mutation}: the dead letter became one itself: ${letter.body.slice(0, 300)}`);
    else if (!kept) books.refused(topic, "known already");
    else if (kept.unreadable) books.refused(topic, "unreadable");
    else if (kept.reason === "its broker gave up on it") books.refused(topic, "bare message");
    else books.done(topic);
    wake();
  }

  function settledOfOurs({ letter, topic, message }: Trace): void {
    if (letter && !derived.has(message.id) && !(attributes.replayOf in message.attributes))
      fault(`a message of the services became a dead letter of ${topic}: ${letter.body.slice(0, 400)}`);
  }

  function mismatch({ about, mutation, expected, message }: Open, found: string): void {
    fault(
      `${about.topic}, ${mutation}: expected ${expected ?? "a handler"}, found ${found}: ${JSON.stringify({ ...message, body: message.body.slice(0, 300) }).slice(0, 900)}`,
    );
  }

  function fault(what: string): void {
    faultCount++;
    if (faults.length < MOST_FAULTS) faults.push(what);
  }

  function wake(): void {
    if (open.size === 0) idle?.();
  }

  function sample(): string {
    return [...open.values()]
      .slice(0, 5)
      .map(({ about, mutation, letter }) => `${mutation} on ${about.topic}${letter ? " (its letter is not kept)" : ""}`)
      .join("; ");
  }
}

const MOST_FAULTS = 50;
const REFUSED_BY_READING: ReadonlySet<string> = new Set(REFUSALS);

/** Returns the message with its number as the first attribute, so that truncation does not remove the number. */
export function numbered(message: Message, n: number): Message {
  const { [NUMBER]: _, ...others } = message.attributes;
  return { ...message, attributes: { [NUMBER]: String(n), ...others } };
}
