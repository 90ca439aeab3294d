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
import type { Trace } from "../fuzz/witness.ts";
import { type ForeignMessage, foreignMessages } from "./foreign-messages.ts";

/** Another program on the same broker. */
export interface Stranger extends AsyncDisposable {
  /** Publishes with its own client; resolves when the broker has it. */
  send(message: ForeignMessage): Promise<void>;
  /** Headers and properties that only this broker has, each a message of its own for a topic that is consumed. */
  sendOddities(topic: string, good: () => Message): Promise<number>;
}

export interface StrangersOptions {
  connect(): Promise<MessageBus>;
  stranger(): Promise<Stranger>;
}

const SEEN = new Set<number>();
const SEED = 20_261_216;
/** In milliseconds: until everything has ended, with the retries of what is tried again. */
const PATIENCE_MS = 60_000;

/** The real services on a real broker, and a program that sends them what it should not. */
export function testStrangers({ connect, stranger }: StrangersOptions): void {
  it(
    "become dead letters with their reason and history, stop no consumer and hold up nothing behind them",
    { timeout: 3 * PATIENCE_MS },
    async () => {
      await using outsider = await stranger();
      await using s = await setup(await connect());
      const sent: ForeignMessage[] = [];
      for (const about of fuzzTopics) {
        for (const foreign of foreignMessages(about, () => s.good(about.topic), s.random, Date.now())) {
          await outsider.send(foreign);
          sent.push(foreign);
        }
      }
      const odd = await outsider.sendOddities(topics.runWake, () => s.good(topics.runWake));
      const run = await s.runs.ask("look and note");
      const waiting = sent.filter(({ about }) => about.kind !== "broadcast").length + odd;
      await s.ended(waiting).catch((e) => {
        console.log(
          sent.filter((x) => x.about.kind !== "broadcast" && x.n !== null && !SEEN.has(x.n)).map((x) => x.about.topic + " " + x.what),
        );
        throw e;
      });
      expect(await s.runs.ended(run)).toBe("run.completed");
      expect(s.faults).toEqual([]);

      const judged = sent.filter(({ about, n, expected }) => about.kind === "queue" && n !== null && expected !== "anything");
      const how = (reasonOf: (one: ForeignMessage) => string | null) =>
        judged.map((one) => `${one.about.topic}, ${one.what}: ${reasonOf(one)}`);
      expect(how(({ n }) => s.reasons.get(n ?? 0) ?? null)).toEqual(how(({ expected }) => expected));
      expect(s.target.changes).toEqual([run.callId(2)]);
    },
  );
}

async function setup(bus: MessageBus) {
  const random = randomFrom(SEED);
  const faults: string[] = [];
  /** Why messages were given up, by their number. */
  const reasons = new Map<number, string>();
  /** Why they were given up, by what is kept of a message in any case. */
  const letters = new Map<string, string>();
  const keptLetters = new Map<string, string>();
  const wanted = new Set<() => void>();
  let strangersEnded = 0;
  const deadline = AbortSignal.timeout(2 * PATIENCE_MS);
  let system: SystemUnderFuzz;
  const runs = genuineRuns(
    () => system,
    () => deadline,
  );
  const onUnhandled = (reason: unknown): void => void faults.push(`a rejection that nobody handles: ${String(reason)}`);
  process.on("unhandledRejection", onUnhandled);
  let n = 0;
  system = await systemUnderFuzz({
    random: randomFrom(SEED + 1),
    clock: Date.now,
    model: scriptedModel,
    bus,
    watcher: {
      settled,
      kept,
      fault: (what) => void faults.push(what),
      committed: runs.committed,
      heard: ignore,
      acted: ignore,
      published: ignore,
    },
  });
  return {
    runs,
    random,
    faults,
    reasons,
    target: system.target,
    /** A message that obeys every rule, about a run that nobody knows. */
    good(topic: string): Message {
      const now = Date.now();
      const mint = { now, random: Uint8Array.from({ length: 32 }, () => random.below(256)) };
      const conversationId = newConversationId(mint, 16);
      const callId = `${newRunId(mint, conversationId)}.1.0`;
      const known = {
        random,
        toolset: system.target.toolset,
        now,
        n: ++n,
        callId,
        conversationId,
        callSecret: undefined,
        letterId: "dl_00_01ARZ3NDEKTSV4RRFFQ69G5FAV",
      };
      const queue = topic.startsWith(topics.dead("")) ? topic.slice(topics.dead("").length) : topic;
      const message = numbered(validMessage(queue, known), n);
      return numbered(queue === topic ? message : letterOf(message, queue, known), n);
    },
    /** Resolves when so many messages of strangers have ended, and every dead letter is kept. */
    async ended(count: number): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = (): void => {
        if (strangersEnded >= count && unkept().length === 0) resolve();
      };
      wanted.add(look);
      const late = setTimeout(
        () => reject(new Error(`${strangersEnded} of ${count} have ended, ${unkept().length} dead letters are not kept.`)),
        PATIENCE_MS,
      );
      look();
      await promise.finally(() => clearTimeout(late));
    },
    async [Symbol.asyncDispose]() {
      await system.stop();
      process.off("unhandledRejection", onUnhandled);
    },
  };

  function settled({ n: number, topic, message, letter }: Trace): void {
    // The services' own messages have no number and a source.
    const foreign = number !== null || message.source === "";
    if (letter) {
      const parsed = parseDeadLetter(JSON.parse(letter.body));
      if (!parsed.ok) return void faults.push(`a dead letter of ${topic} breaks its schema`);
      const { reason, deliveries, history } = parsed.value;
      const name = reasonName(reason);
      if (name === null || history.length !== deliveries - 1)
        faults.push(`${topic}: ${reason}, ${deliveries} deliveries, ${history.length} tries`);
      if (number !== null) reasons.set(number, name ?? reason);
      letters.set(`${topic} ${parsed.value.message.id}`, reason);
    }
    if (foreign) strangersEnded++;
    if (number !== null) SEEN.add(number);
    else if (foreign) console.log(topic, message.id, JSON.stringify(message).slice(0, 300));
    for (const look of wanted) look();
  }

  function kept(letter: KeptLetter): void {
    keptLetters.set(`${letter.queue} ${letter.message.id}`, letter.reason);
    for (const look of wanted) look();
  }

  function unkept(): readonly string[] {
    return [...letters].filter(([name, reason]) => keptLetters.get(name) !== reason).map(([name]) => name);
  }
}

function ignore(): void {
  // Nothing of it is asked for.
}
