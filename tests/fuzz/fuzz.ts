import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { DEFAULT_AGENT, keys, message, messageTypes, topics } from "@toolbus/contracts";
import { accounts } from "./accounts.ts";
import { fuzzSender, REQUESTED } from "./fuzz-sender.ts";
import { TOOLSET } from "./fuzz-tools.ts";
import { type GenuineRun, genuineRuns, scriptedModel } from "./genuine-runs.ts";
import { overheard } from "./overheard.ts";
import { randomFrom } from "./random.ts";
import { systemUnderFuzz } from "./system-under-fuzz.ts";
import type { Tally } from "./tally.ts";

export interface FuzzOptions {
  readonly seed: number;
  readonly count: number;
}

/** The result of all waves. */
export interface Fuzzed {
  readonly tally: Tally;
  /** The first fifty faults. */
  readonly faults: readonly string[];
  readonly faultCount: number;
  /** Every topic that a service consumed or listened to. */
  readonly topics: ReadonlySet<string>;
  /** The calls that changed the target. The next field has the calls that should have changed it. */
  readonly changes: readonly string[];
  readonly wantedChanges: readonly string[];
  /** The bytes in use after each wave, after garbage collection. */
  readonly heap: readonly number[];
  /** The longest time from the last fuzzed message of a wave to the end of all good messages sent after it. */
  readonly slowestMs: number;
  readonly seconds: number;
  /** The processor time in seconds. */
  readonly cpuSeconds: number;
}

const WAVE = 5000;
/** Each wave sends this many messages before it makes runs to attack. Their dead letters can be replayed later. */
const FIRST = 50;
/** The time limit of a wave in milliseconds. Within it, all fuzzed messages must end and all good messages must be handled. */
const WAVE_MS = 30_000;
/** A time in milliseconds that is longer than any timer of a call. */
const TIMERS_MS = 3_600_000;
/** A time in milliseconds after which the services have removed everything with an expiry. */
const BETWEEN_WAVES_MS = 31 * 86_400_000;

/**
 * Sends fuzzed messages to real services, in waves. The same seed draws the same faults in the same order. Ids and times are new each time. Each wave
 * begins with runs to attack, whose ids and messages the sender knows. It ends with a run that reads and writes, a run whose approval is withdrawn, a
 * run whose read is interrupted, a replay, and a request to register again. All of these must finish in time. Then the clock moves a month ahead.
 */
export async function fuzz({ seed, count }: FuzzOptions): Promise<Fuzzed> {
  const started = performance.now();
  const cpu = process.cpuUsage();
  const books = accounts();
  const heardAlong = overheard();
  let ahead = 0;
  const clock = (): number => Date.now() + ahead;
  let deadline = AbortSignal.timeout(WAVE_MS);
  const runs = genuineRuns(
    () => system,
    () => deadline,
  );
  const onUnhandled = (reason: unknown): void => books.fault(`an unhandled rejection: ${String(reason)}`);
  process.on("unhandledRejection", onUnhandled);
  const { settled, heard, kept, acted, fault } = books;
  const system = await systemUnderFuzz({
    random: randomFrom(seed),
    clock,
    model: scriptedModel,
    watcher: {
      settled,
      heard,
      kept,
      acted,
      fault,
      committed: runs.committed,
      published(sent, by) {
        books.published(sent, by);
        if (by?.n === null || by === undefined) heardAlong.note(sent);
      },
    },
  });
  const sender = fuzzSender({ random: randomFrom(seed + 1), clock, system, books, heardOn: heardAlong.on });
  const heap: number[] = [];
  const wantedChanges: string[] = [];
  let slowestMs = 0;
  try {
    for (let sent = 0; sent < count; sent += WAVE) {
      deadline = AbortSignal.timeout(WAVE_MS);
      await wave(Math.min(WAVE, count - sent));
      heap.push(heapInUse());
      ahead += BETWEEN_WAVES_MS;
      await system.restartOperations();
    }
  } finally {
    await system.stop();
    process.off("unhandledRejection", onUnhandled);
  }
  const { tally, faults, faultCount } = books;
  const seconds = (performance.now() - started) / 1000;
  const { user, system: kernel } = process.cpuUsage(cpu);
  const cpuSeconds = (user + kernel) / 1_000_000;
  const { topics: consumed, target } = system;
  return { tally, faults, faultCount, topics: consumed, changes: target.changes, wantedChanges, heap, slowestMs, seconds, cpuSeconds };

  async function wave(size: number): Promise<void> {
    for (let i = 0; i < Math.min(FIRST, size); i++) sender.send([]);
    await books.allEnded(deadline);
    const victims = await attacked();
    for (let i = FIRST; i < size; i++) sender.send(victims);
    const published = performance.now();
    const good = await runs.ask("look and note");
    await Promise.all([completed(good), approvalTakenBack(), readBrokenOff(), books.allEnded(deadline)]);
    await registeredAgain();
    await replayed();
    slowestMs = Math.max(slowestMs, performance.now() - published);
    wantedChanges.push(good.callId(2));
    await over(victims);
    heardAlong.forget(victims.map(({ runId }) => runId));
  }

  /** Makes runs that wait for a decision or for a read that never ends. Also makes requests to replay some dead letters. */
  async function attacked(): Promise<readonly GenuineRun[]> {
    const held = await Promise.all(Array.from({ length: 8 }, () => runs.ask("wire money")));
    const lingering = await Promise.all(Array.from({ length: 6 }, () => runs.ask("wait for ever")));
    await Promise.all(books.letters.slice(-REQUESTED).map(({ letterId }) => runs.request(letterId, clock())));
    await Promise.all([...held.map(runs.held), ...lingering.map(runs.sent)]);
    return [...held, ...lingering];
  }

  async function completed(run: GenuineRun): Promise<void> {
    const end = await runs.ended(run);
    if (end !== "run.completed") books.fault(`a good run behind the fuzz ended as ${end}`);
  }

  async function approvalTakenBack(): Promise<void> {
    const run = await runs.ask("wire money");
    await runs.held(run);
    await runs.cancel(run);
    await runs.takenBack(run);
  }

  async function readBrokenOff(): Promise<void> {
    const progressShown = books.actsOn(topics.progress(DEFAULT_AGENT), deadline);
    const run = await runs.ask("wait for ever");
    await system.target.begun(run.callId(1), deadline);
    await progressShown;
    await runs.cancel(run);
    await system.target.aborted(run.callId(1), deadline);
  }

  async function registeredAgain(): Promise<void> {
    const heardOf = Promise.all([topics.toolRefresh, topics.toolAnnounce].map((topic) => books.actsOn(topic, deadline)));
    const refresh = {
      topic: topics.toolRefresh,
      type: messageTypes.toolRefresh,
      source: "/agent",
      now: clock(),
      body: { toolset: TOOLSET },
    };
    await system.outside.announce(message({ id: `refresh:${clock()}`, ...refresh }));
    await heardOf;
  }

  async function replayed(): Promise<void> {
    const letter = books.letters.findLast(({ replayBy }) => replayBy.kind === "publish");
    if (!letter) return;
    await runs.request(letter.letterId, clock());
    await runs.replay(letter.letterId, clock());
  }

  /**
   * Waits until every approval has expired. The timer of an approval reads the time before it commits. If the clock jumped in between, the message
   * about the expiry would be too old for its queue.
   */
  async function noneWaits(): Promise<void> {
    while ((await system.store.page(keys.pendingApprovals(), { limit: 1 })).members.length > 0) {
      deadline.throwIfAborted();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Ends everything that still waits. The fuzzed messages may have left it in any state. */
  async function over(victims: readonly GenuineRun[]): Promise<void> {
    await Promise.all(victims.map(runs.end));
    // When the timer of a write fires, the agent checks the write. This also ends writes that were sent under a forged grant.
    ahead += TIMERS_MS;
    await Promise.all(victims.map(runs.ended));
    system.target.release();
    await noneWaits();
    await system.idle(deadline);
    books.waveOver();
  }
}

function heapInUse(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed;
}
