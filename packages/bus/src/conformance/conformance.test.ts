import { describe, expect, it } from "vitest";
import { brokenBuses } from "./broken-buses.ts";
import { busCases } from "./bus-cases.ts";
import { describeMessageBus } from "./describe-message-bus.ts";
import { refusingQueues } from "./refusing-queues.ts";
import { runCase } from "./run-case.ts";

// A suite that no bus fails proves nothing, so these tests check that the suite notices every broken promise.
describe("the message bus suite", () => {
  it.concurrent.each(brokenBuses)("notices a bus that $fault", async ({ noticedBy, open, refuse }) => {
    const busCase = busCases.find(({ name }) => name === noticedBy);
    if (!busCase) throw new Error(`There is no case "${noticedBy}".`);
    await expect(runCase(busCase, { open, refuse, namespace: noticedBy, patienceMs: 1500 })).rejects.toBeInstanceOf(Error);
  });

  it("has a broken bus for every area", () => {
    const areaOf = (noticedBy: string) => busCases.find(({ name }) => name === noticedBy)?.area;
    expect(new Set(brokenBuses.map(({ noticedBy }) => areaOf(noticedBy)))).toEqual(new Set(busCases.map(({ area }) => area)));
  });

  it("names every case once", () => {
    const names = busCases.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});

describeMessageBus("memory, its queues shared by connections", {
  ...refusingQueues({ kind: "retry", after: 10, reason: "what replaces it is refused" }),
  features: { durable: true, ordered: "single-consumer", delayedRetry: true, refusable: ["dead-letter", "retry"] },
  skip: [
    { test: "a closed bus rejects everything", reason: "the shared bus behind a connection stays open" },
    {
      test: "a bus is not ready from the beginning of its close on, and says why",
      reason: "the shared bus behind a connection stays open",
    },
  ],
});
