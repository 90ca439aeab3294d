import { describe, expect, it } from "vitest";
import { type Stoppable, stopInOrder } from "./stop-in-order.ts";

const monotonic = () => performance.now();

describe("parts that are stopped in order", () => {
  it("stop one stage after the other, whatever one of them throws", async () => {
    const said: string[] = [];
    const part = (name: string): Stoppable => ({
      async shutdown() {
        said.push(`${name} begins`);
        await Promise.resolve();
        said.push(`${name} ends`);
        if (name === "traces") throw new Error("no collector");
      },
    });
    const stages = [[part("traces")], [], [part("metrics")], [part("logs")]];
    expect(await stopInOrder(stages, { withinMs: 10_000, monotonic })).toBe(true);
    expect(said).toEqual(["traces begins", "traces ends", "metrics begins", "metrics ends", "logs begins", "logs ends"]);
  });

  it("leave time for the stages after one that does not end, and report it", async () => {
    const stuck: Stoppable = { shutdown: () => new Promise(() => undefined) };
    const { promise: stopped, resolve } = Promise.withResolvers<string>();
    const last: Stoppable = { shutdown: async () => resolve("stopped") };
    expect(await stopInOrder([[stuck], [last]], { withinMs: 20, monotonic })).toBe(false);
    expect(await stopped).toBe("stopped");
  });
});
