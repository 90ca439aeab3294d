import path from "node:path";
import { expect, it } from "vitest";
import { describeOnPrivateServer, describeOnServer } from "@toolbus/testing/servers";
import type { ServerUrls } from "../benchmark.ts";
import { onGround, withLoop } from "./ground.ts";
import { CHAINS, overBroker } from "./over-broker.ts";
import { runLoop } from "./run-loop.ts";

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
  redis: null,
  postgres: "postgres://somebody:secret@127.0.0.1:1/none",
};
const FEW = { count: 2, inFlight: 2 };

const measure = (servers: ServerUrls, signal = new AbortController().signal, before: string | null = null) =>
  runLoop({ seconds: 1, stopwatch: hourly(), signal }, { servers, before }, FEW);

describeOnPrivateServer("redis", "the run-loop benchmark", (redis) => {
  it("runs to the end in every row, counts what a round asks of the store, and says which rows it leaves out", PATIENCE, async () => {
    const { rows, notes } = await measure({ ...NOBODY, redis: redis().url });
    expect(rows).toMatchObject([
      { name: "runs a second, 2 in flight, tools in process, against the loop by hand", is: "at least", target: 0.36, ratio: 1 },
      { name: "processor time of a run, 2 in flight, tools in process, against the loop by hand", is: "at most", target: 2.9 },
      { name: "round trips to Redis in series, a round", is: "at most", target: 1, theirs: 1 },
      { name: "bytes written to Redis in round 20, against round 2", is: "at most", target: 1.1, met: true },
    ]);
    expect(notes).toEqual([
      expect.stringMatching(/^Redis at 127\.0\.0\.1:\d+ syncs every write to disk\.$/),
      expect.stringMatching(/^Of 1 round trips in series a round: commit round/),
      "NATS does not answer at 127.0.0.1:1 (ECONNREFUSED). Its row is left out.",
      "RabbitMQ does not answer at 127.0.0.1:1 (ECONNREFUSED). Its row is left out.",
    ]);
  });

  it("measures another checkout as well, against the same loop by hand", PATIENCE, async () => {
    const signal = new AbortController().signal;
    const root = path.resolve(import.meta.dirname, "../../..");
    const { rows } = await measure({ ...NOBODY, redis: redis().url }, signal, root);
    expect(rows.map((row) => ("name" in row ? row.name : ""))).toContain(
      "the build before: runs a second, 2 in flight, tools in process, against the loop by hand",
    );
  });

  it("stops and cleans up when it is interrupted", PATIENCE, async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(measure({ ...NOBODY, redis: redis().url }, signal)).rejects.toThrow("interrupted");
  });

  for (const chain of CHAINS) {
    describeOnServer(chain.kind, `with its tools behind ${chain.name}`, (server) => {
      it("runs to the end", PATIENCE, async () => {
        const signal = new AbortController().signal;
        const row = await onGround(redis().url, { seconds: 1, stopwatch: hourly(), signal }, FEW, null, (ground) =>
          overBroker(chain, server().url, ground),
        );
        expect(row).toMatchObject([
          {
            name: `runs a second, 2 in flight, tools behind ${chain.name}, against the loop by hand`,
            is: "at least",
            target: chain.aims.speed,
            ratio: 1,
          },
          { name: `processor time of a run, 2 in flight, tools behind ${chain.name}, against the loop by hand`, is: "at most" },
        ]);
      });
    });
  }
});

describeOnPrivateServer(
  "redis",
  "the run-loop benchmark on a Redis that keeps nothing",
  (redis) => {
    it("still measures and says so", PATIENCE, async () => {
      const signal = new AbortController().signal;
      const notes = await onGround(redis().url, { seconds: 1, stopwatch: hourly(), signal }, FEW, null, async (ground) => {
        await withLoop("toolbus", { kind: "here" }, ground, (loop) => loop.runs(1, 1, 1));
        return ground.redis.notes;
      });
      expect(notes[0]).toMatch(/keeps no append-only file.* It is measured with durability=relaxed\.$/);
    });
  },
  { settings: { appendonly: "no" } },
);
