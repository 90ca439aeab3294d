import { attributes, callIdOf, type Message, messageTypes, newConversationId, newRunId, topics } from "@toolbus/contracts";
import { type Accounts, numbered } from "./accounts.ts";
import { type FuzzTopic, fuzzTopics } from "./fuzz-topics.ts";
import { TOOLSET } from "./fuzz-tools.ts";
import type { GenuineRun } from "./genuine-runs.ts";
import { mutationFor } from "./mutations.ts";
import type { Random } from "./random.ts";
import type { SystemUnderFuzz } from "./system-under-fuzz.ts";
import { type Known, letterOf, validMessage } from "./valid-messages.ts";

export interface FuzzSenderOptions {
  readonly random: Random;
  /** Returns the wall-clock time in milliseconds. */
  readonly clock: () => number;
  readonly system: Pick<SystemUnderFuzz, "outside" | "listeners" | "target">;
  readonly books: Pick<Accounts, "open" | "letters">;
  /** Returns the messages that the services sent on a topic. */
  readonly heardOn: (topic: string) => readonly Message[];
}

/** A sender that can publish on the bus and read from it. It makes fuzzed messages from the services' own messages or from invented ones. */
export interface FuzzSender {
  /** Sends one message on the next topic. Some messages are about the attacked runs. */
  send(victims: readonly GenuineRun[]): void;
}

/** A queue receives three messages for each message on its dead-letter queue, and for each message on a broadcast topic. */
const TURNS: readonly FuzzTopic[] = fuzzTopics.flatMap((about) => (about.kind === "queue" ? [about, about, about] : [about]));
const MOST_EARLIER = 200;
/** An operator asks to replay this many of the latest dead letters. */
export const REQUESTED = 10;
const NO_LETTER = "dl_00_01ARZ3NDEKTSV4RRFFQ69G5FAV";

export function fuzzSender({ random, clock, system, books, heardOn }: FuzzSenderOptions): FuzzSender {
  const sentOn = new Map<string, number>();
  const earlier: Message[] = [];
  let n = 0;
  return {
    send(victims) {
      const about = TURNS[n % TURNS.length];
      if (!about) throw new Error("There is no topic to send to.");
      const { topic } = about;
      const nth = sentOn.get(topic) ?? 0;
      sentOn.set(topic, nth + 1);
      const known = whatIsKnown(victims);
      const [name, mutate] = mutationFor(nth, known);
      const given = numbered(about.kind === "dead" ? letter(topic, known) : beginning(topic, known), n);
      const sent = numbered({ ...mutate(given, known, earlier), topic }, n);
      books.open(sent, about, name, { now: known.now, listeners: system.listeners(topic) });
      earlier[n % MOST_EARLIER] = given;
      n++;
      // On the bus in memory, publishing neither waits nor fails. If it failed, the unhandled rejection would be reported as a fault.
      void (about.kind === "broadcast" ? system.outside.announce(sent) : system.outside.publish(sent));
    },
  };

  /** Returns an invented message, or one of the services' own messages with a new id and time. */
  function beginning(topic: string, known: Known): Message {
    // An invoke of the read that waits must not be reused, because a changed copy would wait again.
    const heard = heardOn(topic).filter(({ type, body }) => type !== messageTypes.toolInvoke || !body.includes('"linger"'));
    const madeUp = validMessage(topic, known);
    if (random.chance(0.7) || heard.length === 0) return madeUp;
    return { ...random.pick(heard), id: `overheard:${n}`, time: new Date(known.now).toISOString() };
  }

  /** Returns a dead letter. Sometimes it is the bare message, as a broker gives up a message itself. */
  function letter(dead: string, known: Known): Message {
    const queue = dead.slice(topics.dead("").length);
    const given = numbered(validMessage(queue, known), n);
    return random.chance(0.1) ? given : letterOf(given, queue, known);
  }

  function secretOf(callId: string): string | undefined {
    return heardOn(topics.invoke(TOOLSET)).find(({ correlationId }) => correlationId === callId)?.attributes[attributes.callSecret];
  }

  function whatIsKnown(victims: readonly GenuineRun[]): Known {
    const victim = victims.length > 0 && random.chance(0.5) ? random.pick(victims) : null;
    const now = clock();
    const mint = { now, random: Uint8Array.from({ length: 32 }, () => random.below(256)) };
    // This store has 16 shards, but an id may name one of 256.
    const conversationId = victim?.conversationId ?? newConversationId(mint, random.chance(0.8) ? 16 : 256);
    const runId = victim?.runId ?? `${newRunId(mint, conversationId)}${random.chance(0.1) ? "~3" : ""}`;
    const kept = random.pick([...books.letters.slice(-REQUESTED), null]);
    const callId = victim?.callId(1) ?? callIdOf(runId, 1 + random.below(9), random.below(9));
    return {
      random,
      toolset: system.target.toolset,
      now,
      n,
      callId,
      callSecret: random.chance(0.3) && victim ? secretOf(callId) : undefined,
      conversationId,
      letterId: kept?.letterId ?? NO_LETTER,
    };
  }
}
