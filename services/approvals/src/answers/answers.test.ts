import type { MessageBus } from "@toolbus/bus";
import { describe, expect, it } from "vitest";
import { setup, until } from "../testing/approvals-under-test.ts";
import { smallRefund } from "../testing/writes-under-test.ts";

describe("the outbox of approvals", () => {
  it("holds nothing secret, and the relay of the next process sends the same bytes", async () => {
    const broken = { on: true };
    const published: string[] = [];
    await using t = await setup({ wrapBus: (bus) => failing(bus, broken, published) });
    await t.ask(smallRefund(1));
    await until(async () => published.length > 0);
    t.clock.now += 5000;
    const rows = await t.store.claim("approvals", "outbox", { limit: 10, visibleAfter: 0 });
    expect(rows.map(({ message }) => Object.keys(message as object))).toEqual([["approvalId", "n", "at", "answer"]]);
    broken.on = false;
    await t.restart();
    const { message } = await t.decided.next();
    expect(JSON.stringify(message)).toBe(published[0]);
  });
});

/** A bus that records the published messages and confirms none of them while it is broken. */
function failing(bus: MessageBus, broken: { on: boolean }, published: string[]): MessageBus {
  return {
    ...bus,
    async publish(message) {
      published.push(JSON.stringify(message));
      if (broken.on) throw new Error("not confirmed");
      await bus.publish(message);
    },
  };
}
