import { randomBytes } from "node:crypto";
import { collect } from "@toolbus/bus/conformance";
import { topics } from "@toolbus/contracts";
import { generateSigningKey, publicKeySet, staticKeySet } from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describeOnServer } from "@toolbus/testing/servers";
import { defineTool, startWorker, toolset } from "@toolbus/tool-kit";
import { expect, it } from "vitest";
import { messagesIn, natsClient } from "./nats-client.ts";
import { natsSpace } from "./nats-space.ts";
import { readInvoke } from "./read-invoke.ts";

const PATIENCE_MS = 20_000;
/** The proportions are those of the defaults. A delivery is lost after 750 ms of silence, and the server waits for 1 s. */
const timings = { ackWaitMs: 1000, workingMs: 250, pullMs: 600, heartbeatMs: 300 };

describeOnServer("nats", "a worker on NATS", (server) => {
  const space = natsSpace(server);

  async function setup(name: string, blockMs: number) {
    const bus = await space.connect({ namespace: name, drainMs: 300, nats: { timings } });
    let runs = 0;
    const spin = defineTool({
      name: "spin",
      kind: "read",
      description: "Blocks the event loop of its worker.",
      parameters: { type: "object", properties: {}, additionalProperties: false },
      async run() {
        runs++;
        const end = performance.now() + blockMs;
        while (performance.now() < end);
        return "done";
      },
    });
    const worker = await startWorker({
      toolset: toolset({ name: "spinners", tools: [spin] }),
      bus,
      state: memoryStore({ clock: Date.now }),
      keys: staticKeySet(publicKeySet([await generateSigningKey()])),
      log: silentLog,
      clock: Date.now,
      monotonic: () => performance.now(),
      random: (bytes) => randomBytes(bytes),
    });
    const client = await natsClient(server().url);
    const context = { bus, connect: async () => bus, drainMs: 300, patienceMs: PATIENCE_MS };
    const { deliveries: answers } = await collect(context, topics.result("tester"));
    return {
      answers,
      runs: () => runs,
      waiting: () => messagesIn(client, `${space.namespaceOf(name)}_invoke`.toUpperCase()),
      call: () => bus.publish(readInvoke({ toolset: "spinners", tool: "spin" })),
      async [Symbol.asyncDispose]() {
        await worker.stop();
        await bus.close();
        await client[Symbol.asyncDispose]();
      },
    };
  }

  // These tests depend on real time. The first pause is shorter than the server's patience, and the second one is longer.
  it.each([900, 1300])("answers a read that blocks it for %i ms once, and runs it once", async (blockMs) => {
    await using s = await setup(`blocked ${blockMs}`, blockMs);
    await s.call();
    await s.answers.until("the answer arrives", ({ length }) => length > 0);
    await expect.poll(s.waiting, { timeout: PATIENCE_MS }).toBe(0);
    expect([s.runs(), s.answers.items.length]).toEqual([1, 1]);
  });
});
