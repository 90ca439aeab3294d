import { BusUnavailable, NotPermitted, Unroutable } from "@toolbus/bus";
import { attributes, message, topics } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import type { SecurityEvent } from "../sealed/security.ts";
import { answersToAgents } from "./unread-answers.ts";

const NOW = 1_750_000_000_000;
const MINUTE_MS = 60_000;

describe("an answer to an agent", () => {
  it("that this service may not write to is dropped with a security event", async () => {
    const { publish, events } = setup(new NotPermitted("No."));
    await publish(NOW);
    expect(events).toEqual([
      { kind: "message_refused", by: "nobody", details: { topic: "approval.decided.nobody", why: "not_permitted" } },
    ]);
  });

  it("whose queue does not exist yet is published again, and dropped if the queue never appears", async () => {
    const { publish, events } = setup(new Unroutable("No queue."));
    await expect(publish(NOW - 9 * MINUTE_MS)).rejects.toThrow(Unroutable);
    expect(events).toEqual([]);
    await publish(NOW - 11 * MINUTE_MS);
    expect(events).toMatchObject([{ details: { why: "unroutable" } }]);
  });

  it("is published again as long as the broker is unavailable", async () => {
    const { publish, events } = setup(new BusUnavailable("Away."));
    await expect(publish(NOW - 60 * MINUTE_MS)).rejects.toThrow(BusUnavailable);
    expect(events).toEqual([]);
  });
});

function setup(fault: Error) {
  const events: SecurityEvent[] = [];
  const bus = answersToAgents({
    bus: { publish: () => Promise.reject(fault) },
    security: async (_, event) => void events.push(event),
    clock: () => NOW,
  });
  const publish = (at: number): Promise<void> =>
    bus.publish(
      message({
        id: "decided:ap_1#1",
        topic: topics.approvalDecided("nobody"),
        type: "toolbus.approval.decided",
        source: "/approvals",
        now: at,
        correlationId: "rn_03_01HZX3V5J8K2M4N6P8Q0R2S4T9.1.0",
        attributes: { [attributes.agent]: "nobody" },
        body: {},
      }),
    );
  return { publish, events };
}
