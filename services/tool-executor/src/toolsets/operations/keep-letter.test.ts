import type { Delivery } from "@toolbus/bus";
import { memoryStore, StoreUnavailable } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { keepDelivery } from "./keep-letter.ts";
import { DAY, letter } from "../../testing/operations-under-test.ts";

describe("a dead letter that cannot be kept", () => {
  it.each([
    ["while the store is unavailable comes again, later each time", 1, new StoreUnavailable("gone"), { kind: "retry", after: 1000 }],
    ["while the store is unavailable comes again without limit", 1000, new StoreUnavailable("gone"), { kind: "retry", after: 30_000 }],
    ["for another reason is retried", 9, new RangeError("too large"), { kind: "retry", after: 30_000 }],
    ["for another reason is finally left to its broker", 10, new RangeError("too large"), { kind: "dead-letter" }],
  ] as const)("%s (delivery %d)", async (_, count, error, expected) => {
    expect(await deliver(count, error)).toMatchObject(expected);
  });

  it("is logged with what is wrong, and without anything that an error quotes", async () => {
    const lines: unknown[] = [];
    await deliver(1, new RangeError("the document quotes a secret"), lines);
    expect(lines).toMatchObject([[{ code: "RangeError", queue: "run.wake", count: 1 }, "a dead letter could not be kept"]]);
    expect(JSON.stringify(lines)).not.toContain("secret");
  });
});

async function deliver(count: number, error: Error, lines: unknown[] = []) {
  const store = memoryStore({ clock: () => 1 });
  const log = { ...silentLog, error: (...line: unknown[]) => void lines.push(line) };
  const state = { ...store, commit: () => Promise.reject(error) };
  const delivery: Delivery = { message: letter("run.wake"), count, signal: new AbortController().signal };
  return keepDelivery({ state, log, keptMs: DAY }, "run.wake", delivery);
}
