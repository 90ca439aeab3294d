import type { MessageBus } from "@toolbus/bus";
import { type KeptLetter, type Message, newConversationId, newRunId, parseDeadLetter, topics } from "@toolbus/contracts";
import { expect, it } from "vitest";
import { numbered } from "../fuzz/accounts.ts";
import { fuzzTopics } from "../fuzz/fuzz-topics.ts";
import { genuineRuns, scriptedModel } from "../fuzz/genuine-runs.ts";
import { randomFrom } from "../fuzz/random.ts";
import { reasonName } from "../fuzz/refusals.ts";
import { type SystemUnderFuzz, systemUnderFuzz } from "../fuzz/system-under-fuzz.ts";
import { letterOf, validMessage } from "../fuzz/valid-messages.ts";
import { NUMBER, numberOf, type Trace } from "../fuzz/witness.ts";
import { type ForeignMessage, foreignMessages } from "./foreign-messages.ts";

/** Another program that uses the same broker. */
export interface Stranger extends AsyncDisposable {
  /**
   * Publishes with the program's own client. Resolves with true when the broker has stored the message. Resolves with false if the broker refuses the
   * message.
   */
  send(message: ForeignMessage): Promise<boolean>;
  /** The messages that the broker refuses, for each queue. */
  readonly refused: readonly string[];
  /** Sends good messages with headers and properties that only this broker has. */
  sendOddities(topic: string, good: () => Message): Promise<void>;
}

export interface StrangersOptions {
  connect(): Promise<MessageBus>;
  stranger(): Promise<Stranger>;
}

const SEED = 20_261_216;
/** The time limit in milliseconds within which all messages must end. No message is retried, so they end about as fast as they are sent. */
const PATIENCE_MS = 60_000;
const NO_LETTER = "dl_00_01ARZ3NDEKTSV4RRFFQ69G5FAV";

/**
 * Tests the real services on a real broker against a program that sends them invalid messages. Apart from ids and times, the messages and their
 * outcomes are the same each time, because each message is judged separately.
 */
export function testStrangers({ connect, stranger }: StrangersOptions): void {
  it("end as expected, stop no consumer and block nothing behind them", { timeout: 3 * PATIENCE_MS }, async () => {
    await using outsider = await stranger();
    await using s = await setup(await connect());
    const all = fuzzTopics
      .flatMap((about) => foreignMessages(about, () => s.good(about.topic), s.random, Date.now()))
      .filter((one) => !isBelievedRollback(one));
    const sent: ForeignMessage[] = [];
    const refused: ForeignMessage[] = [];
    for (const foreign of all) ((await outsider.send(foreign)) ? sent : refused).push(foreign);
    expect(new Set(refused.map(({ what }) => what))).toEqual(new Set(outsider.refused));
    const odd: number[] = [];
    await outsider.sendOddities(topics.runWake, () => {
      const good = s.good(topics.runWake);
      odd.push(numberOf(good) ?? 0);
      return good;
    });
    const behind = await s.runs.ask("look and note");

    const names = [...sent.map((one) => [one.n, `${one.about.topic}, ${one.what}`] as const), ...odd.map((n) => [n, "an oddity"] as const)];
    const nameless = sent.filter(({ n, about }) => n === null && about.kind !== "broadcast");
    await s.ended(new Map(names.flatMap(([n, name]) => (n === null ? [] : [[n, name]]))), nameless.length);
    const end = await s.runs.ended(behind).catch(String);
    expect({ end, faults: s.faults }).toEqual({ end: "run.completed", faults: [] });
    const judged = sent.filter(({ about, n, expected }) => about.kind !== "dead" && n !== null && expected !== "anything");
    const listed = (reasonOf: (one: ForeignMessage) => string | null) =>
      judged.map((one) => `${one.about.topic}, ${one.what}: ${reasonOf(one) ?? "handled"}`);
    expect(listed(({ n }) => s.reasons.get(n ?? 0) ?? null)).toEqual(listed(({ expected }) => expected));
    expect(s.target.changes).toEqual([behind.callId(2)]);
  });
}

/**
 * Returns whether approvals accepts this report that the store has lost writes. If approvals accepts it, a shard is held for a while, and a later run
 * may be in that shard.
 */
function isBelievedRollback({ about, expected }: ForeignMessage): boolean {
  return about.topic === topics.approvalRollback && (expected === null || expected === "anything");
}

async function setup(bus: MessageBus) {
  const random = randomFrom(SEED);
  const faults: string[] = [];
  /** The reasons why messages were given up or ignored, by the number of the message. */
  const reasons = new Map<number, string>();
  /** The reasons in dead letters, first as sent and then as stored, by queue and number or id. */
  const letters = new Map<string, string>();
  const keptLetters = new Map<string, string>();
  const endedNumbers = new Set<number>();
  let namelessEnded = 0;
  let count = 0;
  let look = ignore;
  const deadline = AbortSignal.timeout(2 * PATIENCE_MS);
  const onUnhandled = (reason: unknown): void => fault(`an unhandled rejection: ${String(reason)}`);
  process.on("unhandledRejection", onUnhandled);
  const runs = genuineRuns(
    () => system,
    () => deadline,
  );
  const system: SystemUnderFuzz = await systemUnderFuzz({
    random: randomFrom(SEED + 1),
    clock: Date.now,
    model: scriptedModel,
    bus,
    watcher: { settled, heard, kept, fault, committed: runs.committed, acted: ignore, published: ignore },
  });
  return {
    runs,
    random,
    faults,
    reasons,
    target: system.target,
    /** Returns a valid message about a run that does not exist. */
    good(topic: string): Message {
      const now = Date.now();
      const mint = { now, random: Uint8Array.from({ length: 32 }, () => random.below(256)) };
      const conversationId = newConversationId(mint, system.store.shards);
      const callId = `${newRunId(mint, conversationId)}.1.0`;
      const { toolset } = system.target;
      const known = { random, toolset, now, n: ++count, callId, conversationId, callSecret: undefined, letterId: NO_LETTER };
      const queue = topic.startsWith(topics.dead("")) ? topic.slice(topics.dead("").length) : topic;
      const message = numbered(validMessage(queue, known), count);
      return queue === topic ? message : numbered(letterOf(message, queue, known), count);
    },
    /**
     * Resolves when the messages with these numbers have ended, and also this many messages without a number. Every dead letter must be stored too.
     */
    async ended(names: ReadonlyMap<number, string>, nameless: number): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const missing = (): readonly string[] => [
        ...[...names].flatMap(([n, name]) => (endedNumbers.has(n) ? [] : [name])),
        ...(namelessEnded < nameless ? [`${nameless - namelessEnded} without a header`] : []),
        ...unkept().map((name) => `the dead letter of ${name}`),
      ];
      look = () => {
        if (missing().length === 0) resolve();
      };
      const tell = (): void => reject(new Error(`${missing().length} did not end in time: ${missing().slice(0, 20).join("; ")}.`));
      const late = setTimeout(tell, PATIENCE_MS);
      look();
      await promise.finally(() => clearTimeout(late));
    },
    async [Symbol.asyncDispose]() {
      await system.stop();
      process.off("unhandledRejection", onUnhandled);
    },
  };

  function fault(what: string): void {
    faults.push(what);
  }

  function settled({ n, topic, message, letter }: Trace): void {
    if (n !== null) endedNumbers.add(n);
    // The services' own messages have no number either. But unlike these messages, they have a source.
    else if (message.source === "") namelessEnded++;
    if (letter) buried(topic, letter);
    look();
  }

  function heard({ n, dropped }: Trace): void {
    if (n === null) return;
    endedNumbers.add(n);
    if (dropped !== null) reasons.set(n, reasonName(dropped) ?? dropped);
    look();
  }

  function buried(topic: string, letter: Message): void {
    const parsed = parseDeadLetter(JSON.parse(letter.body));
    if (!parsed.ok) return fault(`a dead letter of ${topic} breaks its schema`);
    const { reason, deliveries, history, message } = parsed.value;
    const name = reasonName(reason);
    // The sender may have forged the number of deliveries in the message.
    if (name === null || (history.length !== deliveries - 1 && name !== "worn out"))
      fault(`${topic}: ${reason}, ${deliveries} deliveries, ${history.length} tries`);
    reasons.set(Number(message.attributes[NUMBER]), name ?? reason);
    letters.set(nameOf(topic, message), reason);
  }

  function kept({ queue, message, reason }: KeptLetter): void {
    keptLetters.set(nameOf(queue, message), reason);
    look();
  }

  function unkept(): readonly string[] {
    return [...letters].filter(([name, reason]) => keptLetters.get(name) !== reason).map(([name]) => name);
  }
}

/** Returns the name of a message. The id alone is not enough, because another program may give two messages the same id. */
function nameOf(queue: string, { id, attributes }: Pick<Message, "id" | "attributes">): string {
  return `${queue} ${attributes[NUMBER] ?? id}`;
}

function ignore(): void {
  // Nobody waits for the messages yet.
}
