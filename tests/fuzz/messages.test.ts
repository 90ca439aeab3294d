import { topics } from "@toolbus/contracts";
import { beforeAll, describe, expect, it } from "vitest";
import { type Fuzzed, fuzz } from "./fuzz.ts";
import { fuzzTopics, QUEUES } from "./fuzz-topics.ts";
import { givenUp } from "./tally.ts";

const SEED = wholeNumber("FUZZ_SEED", 20_261_215, 0);
// With fewer messages, some faults would never reach some topics.
const COUNT = wholeNumber("FUZZ_COUNT", process.env["LONG_PROOFS"] === undefined ? 10_000 : 100_000, 2000);

/**
 * The allowed growth of the heap from the first wave of 5,000 messages to the last. Audit records stay in memory and need more than a hundred bytes
 * per message.
 */
const HEAP_GROWTH_BYTES = 32 * 2 ** 20;

describe(`${COUNT} fuzzed messages (FUZZ_SEED=${SEED})`, () => {
  let fuzzed: Fuzzed;

  beforeAll(async () => {
    fuzzed = await fuzz({ seed: SEED, count: COUNT });
    const { seconds, cpuSeconds, slowestMs, heap, tally } = fuzzed;
    const mebibytes = heap.map((bytes) => Math.round(bytes / 2 ** 20)).join(" ");
    console.log(
      `FUZZ_SEED=${SEED} FUZZ_COUNT=${COUNT}: ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of them at work; what was good behind a wave was ` +
        `done within ${Math.round(slowestMs)} ms; heap after each wave ${mebibytes} MiB\n${tally.table()}`,
    );
  }, 300_000);

  it("go to every topic that a service consumes or listens to", () => {
    expect([...fuzzed.topics].toSorted()).toEqual(fuzzTopics.map(({ topic }) => topic).toSorted());
    expect([...fuzzed.topics]).toEqual(expect.arrayContaining(QUEUES.flatMap((queue) => [queue, topics.dead(queue)])));
  });

  it("each end acknowledged, or as a dead letter that is kept with its reason and its history", () => {
    const ended = fuzzTopics.map(({ topic }) => ({ topic, row: fuzzed.tally.of(topic) }));
    expect(ended.map(({ topic, row }) => [topic, row.done + row.dropped + givenUp(row)])).toEqual(
      ended.map(({ topic, row }) => [topic, row.sent]),
    );
  });

  it("make no handler fail, end as expected, and leave no secret in a dead letter or a log", () => {
    expect({ count: fuzzed.faultCount, faults: fuzzed.faults }).toEqual({ count: 0, faults: [] });
  });

  it.each(fuzzTopics)("are refused on $topic for every possible reason", ({ topic, kind }) => {
    expect([...fuzzed.tally.of(topic).refused.keys()]).toEqual(expect.arrayContaining([...REASONS[kind]]));
  });

  it("change nothing at the target, while valid messages between them change it once each", () => {
    expect(fuzzed.changes.toSorted()).toEqual(fuzzed.wantedChanges.toSorted());
    expect(fuzzed.wantedChanges).toHaveLength(fuzzed.heap.length);
  });

  it("leave the heap unchanged, except for what is kept on purpose", () => {
    const [first = 0, ...later] = fuzzed.heap;
    expect(Math.max(first, ...later) - first).toBeLessThan(HEAP_GROWTH_BYTES);
  });
});

// A broadcast is not queued, so it is never too old. A dead-letter queue gives up no message, and stores unreadable messages unchanged.
const REASONS = {
  queue: ["no JSON", "schema", "unknown type", "too large", "too old", "dated ahead", "no time", "long name"],
  broadcast: ["no JSON", "schema", "unknown type", "too large", "long name"],
  dead: ["unreadable", "bare message"],
} as const;

function wholeNumber(name: string, otherwise: number, least: number): number {
  const given = process.env[name];
  if (given === undefined || given === "") return otherwise;
  const value = Number(given);
  if (!Number.isSafeInteger(value) || value < least)
    throw new Error(`${name} must be a whole number from ${least} on, not "${given.slice(0, 40)}".`);
  return value;
}
