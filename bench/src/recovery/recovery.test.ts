import { jetstreamManager } from "@nats-io/jetstream";
import { describeOnPrivateServer, describeOnServer } from "@toolbus/testing/servers";
import { describe, expect, it } from "vitest";
import type { ServerUrls } from "../benchmark.ts";
import { dialNats } from "../tool-call/dial-nats.ts";
import { recovery, SCENARIOS } from "./recovery.ts";

/** Returns a stopwatch that adds an hour at each reading, so every row is one round. */
function hourly() {
  let hours = 0;
  return { now: () => 3_600_000 * ++hours, cpuMs: () => 0 };
}

/** A system has ten processes, which start slowly on a busy machine. */
const PATIENCE = { timeout: 240_000 };

/** Addresses on which nothing listens. */
const NOBODY: ServerUrls = {
  rabbitmq: "amqp://guest:secret@127.0.0.1:1",
  nats: "nats://somebody:secret@127.0.0.1:1",
  redis: null,
  postgres: "postgres://somebody:secret@127.0.0.1:1/none",
};

const measure = (servers: ServerUrls, names: RegExp, signal = new AbortController().signal) =>
  recovery(
    { seconds: 1, stopwatch: hourly(), signal },
    { servers, peers: false, before: null },
    { scenarios: SCENARIOS.filter(({ name }) => names.test(name)), held: 2, perSecond: 1 },
  );

describeOnPrivateServer("redis", "the recovery benchmark", (redis) => {
  describeOnServer("rabbitmq", "on RabbitMQ", (server) => {
    it("kills each service once, has every run completed, and says which rows it leaves out", PATIENCE, async () => {
      const { rows, notes } = await measure({ ...NOBODY, rabbitmq: server().url, redis: redis().url }, /killed/);
      expect(rows).toMatchObject([
        { name: "RabbitMQ: worker killed in reads", strikes: 1, fault: "SIGKILL", target: 1000 },
        { name: "RabbitMQ: worker killed in a write, others wait", strikes: 1, runs: 2 },
        { name: "RabbitMQ: agent killed in model calls", strikes: 1, target: null, met: null },
        { name: "RabbitMQ: approvals killed before decisions", strikes: 1, runs: 2 },
        { name: "RabbitMQ: gateway killed with open streams", strikes: 1, runs: 2 },
      ]);
      expect(notes?.at(-1)).toBe("NATS does not answer at 127.0.0.1:1 (ECONNREFUSED). Its rows are left out.");
    });
  });

  describeOnPrivateServer("nats", "on NATS", (server) => {
    it("freezes a worker, and leaves nothing on the server", PATIENCE, async () => {
      const { rows } = await measure({ ...NOBODY, nats: server().url, redis: redis().url }, /worker frozen/);
      expect(rows).toMatchObject([{ name: "NATS: worker frozen in reads", strikes: 1, fault: "SIGSTOP" }]);
      expect(await streamsOf(server().url)).toBe(0);
    });

    it("leaves nothing on the server when it is interrupted", PATIENCE, async () => {
      const signal = AbortSignal.abort(new Error("interrupted"));
      await expect(measure({ ...NOBODY, nats: server().url, redis: redis().url }, /worker/, signal)).rejects.toThrow("interrupted");
      expect(await streamsOf(server().url)).toBe(0);
    });
  });
});

describe("the recovery benchmark without a broker", () => {
  it("says in one message that none answers and what to do, without a password", PATIENCE, async () => {
    await expect(measure(NOBODY, /./)).rejects.toThrow(
      "RabbitMQ does not answer at 127.0.0.1:1 (ECONNREFUSED). NATS does not answer at 127.0.0.1:1 (ECONNREFUSED). Start one, or name another with --rabbitmq or --nats.",
    );
  });
});

async function streamsOf(url: string): Promise<number> {
  const connection = await dialNats(url);
  try {
    return (await (await jetstreamManager(connection)).getAccountInfo()).streams;
  } finally {
    await connection.close();
  }
}
