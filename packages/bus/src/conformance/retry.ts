import { expect } from "vitest";
import type { Disposition } from "../message-bus.ts";
import type { BusCase } from "./bus-case.ts";
import { ACK, allArrived, collect, idsOf, probe } from "./probe.ts";

const area = "retry";
const DELAY_MS = 250;

export const retryCases: readonly BusCase[] = [
  {
    area,
    name: "a message that is retried comes again unchanged, counting 1, 2, 3",
    async run(context) {
      const { deliveries } = await collect(context, "orders", ({ count }) => (count < 3 ? again(1) : ACK));
      const sent = probe("orders", "retried", { correlationId: "call-1", attributes: { "toolbus-era": "3" } });
      await context.bus.publish(sent);
      const seen = await deliveries.until("three deliveries", ({ length }) => length >= 3);
      expect(seen.map(({ count }) => count)).toEqual([1, 2, 3]);
      expect(seen.map(({ message }) => message)).toEqual([sent, sent, sent]);
    },
  },
  {
    area,
    name: "a retry waits as long as the handler asked for",
    needs: ({ delayedRetry }) => delayedRetry,
    async run(context) {
      const times: number[] = [];
      const { deliveries } = await collect(context, "orders", ({ count }) => {
        times.push(performance.now());
        return count === 1 ? again(DELAY_MS) : ACK;
      });
      await context.bus.publish(probe("orders", "delayed"));
      await deliveries.until("the message comes again", ({ length }) => length >= 2);
      const [first = 0, second = 0] = times;
      // The clocks of the handler and the broker differ a little.
      expect(second - first).toBeGreaterThanOrEqual(DELAY_MS - 10);
    },
  },
  {
    area,
    name: "a message that waits for its retry does not delay others",
    needs: ({ delayedRetry }) => delayedRetry,
    async run(context) {
      const { deliveries } = await collect(context, "orders", ({ message, count }) =>
        message.id === "delayed" && count === 1 ? again(DELAY_MS) : ACK,
      );
      await context.bus.publish(probe("orders", "delayed"));
      await deliveries.until("it is delivered", allArrived(["delayed"]));
      await context.bus.publish(probe("orders", "behind"));
      const seen = await deliveries.until("both come to their end", ({ length }) => length >= 3);
      expect(idsOf(seen)).toEqual(["delayed", "behind", "delayed"]);
    },
  },
];

function again(after: number): Disposition {
  return { kind: "retry", after, reason: "the case wants it again" };
}
