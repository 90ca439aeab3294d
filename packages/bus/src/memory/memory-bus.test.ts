import { message } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { describeMessageBus } from "../conformance/index.ts";
import { memoryBus } from "./memory-bus.ts";

describeMessageBus("memory", {
  open: async ({ drainMs }) => memoryBus({ drainMs }),
  features: { durable: false, ordered: "single-consumer", delayedRetry: true },
});

describe("the memory bus", () => {
  it("brings a message that one consumer gave back to another that is free", async () => {
    const bus = memoryBus();
    const sent = message({ id: "m", topic: "work", type: "t", source: "s", now: 0, body: {} });
    const took: string[] = [];
    const { promise: done, resolve } = Promise.withResolvers<void>();
    for (const name of ["first", "second", "third"])
      await bus.consume(
        "work",
        async ({ count }) => {
          took.push(name);
          if (count < 5) return { kind: "retry", after: 0, reason: "not mine" };
          resolve();
          return { kind: "ack" };
        },
        { concurrency: 4 },
      );
    await bus.publish(sent);
    await done;
    await bus.close();
    expect(took.filter((name, n) => name === took[n - 1])).toEqual([]);
  });
});
