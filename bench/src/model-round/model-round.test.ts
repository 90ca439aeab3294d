import { describe, expect, it } from "vitest";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import type { ServerUrls } from "../benchmark.ts";
import { onGround } from "./ground.ts";
import { modelRound } from "./model-round.ts";
import { ContenderFailed, startContender } from "./round-contender.ts";

/** Returns a stopwatch that adds an hour at each reading, so every slice is one piece of work. */
function hourly() {
  let hours = 0;
  return { now: () => 3_600_000 * ++hours, cpuMs: () => 0 };
}

/** A row needs separate processes, which start slowly on a busy machine. */
const PATIENCE = { timeout: 60_000 };

/** Addresses on which nothing listens. */
const NOBODY: ServerUrls = {
  rabbitmq: "amqp://guest:secret@127.0.0.1:1",
  nats: "nats://somebody:secret@127.0.0.1:1",
  redis: "redis://somebody:secret@127.0.0.1:1",
  postgres: "postgres://somebody:secret@127.0.0.1:1/none",
};
const FEW = { together: { count: 2, inFlight: 2 }, alone: { count: 1, inFlight: 1 }, calls: 2 };

const conditionsOf = (signal = new AbortController().signal) => ({ seconds: 1, stopwatch: hourly(), signal });
const measure = (servers: ServerUrls, signal?: AbortSignal) => modelRound(conditionsOf(signal), { servers, peers: false }, FEW);

const ADAPTERS = [
  { name: "OpenAI adapter, against fetch, chat completions", ratio: 1 },
  { name: "OpenAI adapter, against openai SDK", ratio: 1 },
  { name: "Anthropic adapter, against fetch, messages", ratio: 1 },
];

describeOnPrivateServer("redis", "the model-round benchmark", (redis) => {
  it("runs to the end in every row, and says how to get the rows of other libraries", PATIENCE, async () => {
    const { rows, notes } = await measure({ ...NOBODY, redis: redis().url });
    expect(rows).toMatchObject([
      { name: "runs a second, 2 in flight, against the loop by hand", is: "at least", target: 0.8, ratio: 1, met: true },
      ...ADAPTERS,
    ]);
    expect(notes).toEqual([
      expect.stringMatching(/^Redis at 127\.0\.0\.1:\d+ syncs every write to disk\.$/),
      "The rows against other libraries are left out: --peers installs and measures them.",
    ]);
  });

  it("delivers each streamed answer of ours to a reader", PATIENCE, async () => {
    await onGround(conditionsOf(), async ({ modelUrl }) => {
      const place = { redisUrl: redis().url, postgresUrl: NOBODY.postgres, namespace: "bench-reader", modelUrl };
      const contender = await startContender("Toolbus, read as it streams", place);
      try {
        await contender.runs(2, 3, 2);
      } finally {
        await contender.stop();
      }
    });
  });

  it("does not count a run whose answer is not the model's", PATIENCE, async () => {
    await onGround(conditionsOf(), async ({ modelUrl }) => {
      const place = { redisUrl: redis().url, postgresUrl: NOBODY.postgres, namespace: "bench-wrong", modelUrl };
      const contender = await startContender("the loop by hand", place);
      try {
        // The stub reads only whole numbers. For any other number it answers at once that it has looked zero times.
        await expect(contender.runs(1, 1.5, 1)).rejects.toThrow(ContenderFailed);
      } finally {
        await contender.stop();
      }
    });
  });

  it("stops and cleans up when it is interrupted", PATIENCE, async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(measure({ ...NOBODY, redis: redis().url }, signal)).rejects.toThrow("interrupted");
  });
});

describe("the model-round benchmark without Redis", () => {
  it("still measures the adapters, and shows no password", PATIENCE, async () => {
    const { rows, notes } = await measure(NOBODY);
    expect(rows).toMatchObject(ADAPTERS);
    expect(notes).toEqual([
      "Redis does not answer at 127.0.0.1:1 (ECONNREFUSED). Start one, or name another with --redis. The rows with whole runs are left out.",
    ]);
  });
});
