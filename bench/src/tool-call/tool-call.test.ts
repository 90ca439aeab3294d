import { describe, expect, it } from "vitest";
import { describeOnServer } from "@toolbus/testing/servers";
import type { ServerUrls } from "../benchmark.ts";
import { toolCall } from "./tool-call.ts";

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
const FEW = { together: { count: 16, inFlight: 8 }, alone: { count: 2, inFlight: 1 } };

const measure = (servers: ServerUrls, signal = new AbortController().signal) =>
  toolCall({ seconds: 1, stopwatch: hourly(), signal }, { servers, peers: false }, FEW);

describeOnServer("rabbitmq", "the tool-call benchmark on RabbitMQ", (server) => {
  it("makes its calls for real in every row, and says which rows it leaves out", PATIENCE, async () => {
    const { rows, notes } = await measure({ ...NOBODY, rabbitmq: server().url });
    expect(rows).toMatchObject([
      { name: "RabbitMQ: calls a second, 8 in flight, against raw amqplib", is: "at least", target: 0.85, ratio: 1, met: true },
      { name: "RabbitMQ: time of a call, one at a time, against raw amqplib", is: "at most", target: 1.1, ratio: 1, met: true },
      { name: "RabbitMQ: processor time of a call, both sides, against raw amqplib", is: "at most", target: 1.3 },
      { name: "RabbitMQ: calls a second, 8 in flight, against itself without telemetry", is: "at least", target: 0.93, ratio: 1 },
    ]);
    expect(notes).toEqual([
      "NATS does not answer at 127.0.0.1:1 (ECONNREFUSED). Its rows are left out.",
      "The rows against NestJS and moleculer are left out: --peers installs and measures them.",
    ]);
  });

  it("stops and cleans up when it is interrupted", PATIENCE, async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(measure({ ...NOBODY, rabbitmq: server().url }, signal)).rejects.toThrow("interrupted");
  });
});

describeOnServer("nats", "the tool-call benchmark on JetStream", (server) => {
  it("makes its calls for real in every row", PATIENCE, async () => {
    const { rows, notes } = await measure({ ...NOBODY, nats: server().url });
    expect(rows).toMatchObject([
      { name: "JetStream: calls a second, 8 in flight, against raw JetStream", is: "at least", target: 1, ratio: 1 },
      { name: "JetStream: calls a second, one at a time, against raw JetStream", is: "at least", target: 0.95, ratio: 1 },
      { name: "JetStream: processor time of a call, both sides, against raw JetStream", is: "at most", target: 1.1 },
      { name: "JetStream: calls a second, 8 in flight, against itself without telemetry", is: "at least", target: 0.93, ratio: 1 },
    ]);
    expect(notes?.[0]).toBe("RabbitMQ does not answer at 127.0.0.1:1 (ECONNREFUSED). Its rows are left out.");
  });
});

describe("the tool-call benchmark without a broker", () => {
  it("says in one message that none answers and what to do, without a password", PATIENCE, async () => {
    await expect(measure(NOBODY)).rejects.toThrow(
      "RabbitMQ does not answer at 127.0.0.1:1 (ECONNREFUSED). NATS does not answer at 127.0.0.1:1 (ECONNREFUSED). Start one, or name another with --rabbitmq or --nats.",
    );
  });
});
