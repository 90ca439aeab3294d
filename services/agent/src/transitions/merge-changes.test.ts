import type { Change } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { mergeChanges, PENDING, withoutWake } from "./merge-changes.ts";

const first: Change = {
  op: "join:a",
  guards: [
    { key: "run", version: 4 },
    { key: "call", version: 3 },
  ],
  put: [
    { key: "run", value: 1 },
    { key: "call", value: 1 },
  ],
  append: [{ log: "events", entries: ["joined"] }],
  timers: [
    { service: "agent", id: "call", dueIn: null },
    { service: "agent", id: "run", dueIn: 250 },
  ],
  outbox: [{ service: "agent", id: "wake:rn#1.1", topic: "run.wake", message: 1, dueIn: 0 }],
};
const second: Change = {
  op: "turn:b",
  guards: [
    { key: "run", version: PENDING },
    { key: "conversation", version: 2 },
  ],
  put: [
    { key: "run", value: 2 },
    { key: "next call", value: 1 },
  ],
  append: [
    { log: "transcript", entries: ["said"] },
    { log: "events", entries: ["turn"] },
  ],
  timers: [{ service: "agent", id: "run", dueIn: 9000 }],
};

describe("two changes in one", () => {
  const merged = mergeChanges("round", first, second);

  it("guard the stored documents, and not those that the first change writes", () => {
    expect(merged.guards).toEqual([
      { key: "run", version: 4 },
      { key: "call", version: 3 },
      { key: "conversation", version: 2 },
    ]);
  });

  it("leave each document, timer and log as the second change would leave it after the first", () => {
    expect(merged.op).toBe("round:turn:b");
    expect(merged.put).toEqual([
      { key: "run", value: 2 },
      { key: "call", value: 1 },
      { key: "next call", value: 1 },
    ]);
    expect(merged.append).toEqual([
      { log: "events", entries: ["joined", "turn"] },
      { log: "transcript", entries: ["said"] },
    ]);
    expect(merged.timers).toEqual([
      { service: "agent", id: "call", dueIn: null },
      { service: "agent", id: "run", dueIn: 9000 },
    ]);
  });

  it("wake nobody for a run that their maker continues, but anybody for another run", () => {
    expect(withoutWake(merged, "rn").outbox).toEqual([]);
    expect(withoutWake(merged, "other").outbox).toHaveLength(1);
  });
});
