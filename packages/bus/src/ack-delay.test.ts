import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ackDelay } from "./ack-delay.ts";

const WITHIN_MS = 20;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

function setup() {
  let sent = 0;
  const delay = ackDelay(WITHIN_MS, () => void sent++);
  return { delay, sent: () => sent };
}

describe("the delay of acks", () => {
  it("sends once for all acks of its time, and not later for the last of them", () => {
    const { delay, sent } = setup();
    delay.later();
    vi.advanceTimersByTime(WITHIN_MS - 1);
    delay.later();
    expect(sent()).toBe(0);
    expect(delay.waits).toBe(true);
    vi.advanceTimersByTime(1);
    expect(sent()).toBe(1);
    expect(delay.waits).toBe(false);
    vi.advanceTimersByTime(WITHIN_MS);
    expect(sent()).toBe(1);
  });

  it("starts again with the next ack", () => {
    const { delay, sent } = setup();
    delay.later();
    vi.advanceTimersByTime(WITHIN_MS);
    delay.later();
    vi.advanceTimersByTime(WITHIN_MS);
    expect(sent()).toBe(2);
  });

  it("ends with the turn if it is asked to, once for the whole turn", async () => {
    const { delay, sent } = setup();
    delay.later();
    delay.soon();
    delay.soon();
    delay.later();
    expect(sent()).toBe(0);
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(sent()).toBe(1);
    vi.advanceTimersByTime(WITHIN_MS);
    expect(sent()).toBe(1);
  });

  it("ends at once if it is asked to", () => {
    const { delay, sent } = setup();
    delay.later();
    delay.now();
    expect(sent()).toBe(1);
    vi.advanceTimersByTime(WITHIN_MS);
    expect(sent()).toBe(1);
  });
});
