import type { Verdict } from "@toolbus/bus";
import type { Message, ToolInvoke } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { bench } from "../testing/bench.ts";
import { orders, target } from "../testing/target.ts";
import { answeredReads } from "./answered-reads.ts";

const ACK: Verdict = { kind: "ack" };
const DONE: Verdict = { kind: "ack", evenIfLost: true };
const READ = ["look_up", { id: "7", limit: 1 }] as const;
const WRITE = ["pay", { amount: 1, to: "ann" }] as const;

function setup() {
  const tools = orders(target());
  const reads = answeredReads(tools);
  let worked = 0;
  return {
    invoke: bench(tools).invoke,
    worked: () => worked,
    deliver: (sent: Message, count: number, verdict = ACK) =>
      reads.once(sent, JSON.parse(sent.body) as ToolInvoke, { count, signal: new AbortController().signal }, async () => {
        worked++;
        return verdict;
      }),
  };
}

describe("a read that this process answered", () => {
  it("is acknowledged even if its delivery is lost, and is not run again when it comes again", async () => {
    const { invoke, deliver, worked } = setup();
    const sent = await invoke(...READ);
    expect([await deliver(sent, 1), await deliver(sent, 2), await deliver(sent, 3)]).toEqual([DONE, DONE, DONE]);
    expect(worked()).toBe(1);
  });

  it("runs if the agent sends it again, because the answer may be lost", async () => {
    const { invoke, deliver, worked } = setup();
    await deliver(await invoke(...READ), 1);
    await deliver(await invoke(...READ, { dispatch: 2 }), 1);
    expect(worked()).toBe(2);
  });
});

describe("a delivery that is left to its work", () => {
  it("is one without an answer: it comes again and runs again", async () => {
    const { invoke, deliver, worked } = setup();
    const sent = await invoke(...READ);
    const again: Verdict = { kind: "retry", after: 0, reason: "the worker stops" };
    expect([await deliver(sent, 1, again), await deliver(sent, 2)]).toEqual([again, DONE]);
    expect(worked()).toBe(2);
  });

  it("is one of a write: only its owner acknowledges it, and its ledger answers repeats", async () => {
    const { invoke, deliver, worked } = setup();
    const sent = await invoke(...WRITE);
    expect([await deliver(sent, 1), await deliver(sent, 2)]).toEqual([ACK, ACK]);
    expect(worked()).toBe(2);
  });
});
