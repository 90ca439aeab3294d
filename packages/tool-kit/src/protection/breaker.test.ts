import { describe, expect, it } from "vitest";
import { breaker, breakerRules } from "./breaker.ts";

function setup() {
  let now = 0;
  const changes: string[] = [];
  const made = breaker({ monotonic: () => now, onChange: (state) => void changes.push(state) });
  const end = (outcome: "works" | "fails" | "unknown", times = 1) => {
    for (let n = 0; n < times; n++) made.begin()(outcome);
  };
  return { ...made, changes, end, tick: (ms: number) => void (now += ms) };
}

/** A breaker that has just opened. */
function opened() {
  const made = setup();
  made.end("fails", breakerRules.failures);
  return made;
}

describe("a breaker", () => {
  it("stays closed while calls work, end without a verdict, or fail now and then", () => {
    const { end, state, changes } = setup();
    for (let n = 0; n < 20; n++) {
      end("fails");
      end("works", 2);
      end("unknown");
    }
    expect(state()).toBe("closed");
    expect(changes).toEqual([]);
  });

  it("opens when five of the last ten calls have failed", () => {
    const { end, state, changes } = setup();
    end("works", 20);
    end("fails", 4);
    expect(state()).toBe("closed");
    end("fails");
    expect(state()).toBe("open");
    expect(changes).toEqual(["open"]);
  });

  it("forgets failures that are older than a minute", () => {
    const { end, state, tick } = setup();
    end("fails", 4);
    tick(breakerRules.withinMs);
    end("fails", 4);
    expect(state()).toBe("closed");
    end("fails");
    expect(state()).toBe("open");
  });

  it("lets one call try when its time is over, and closes if this call works", () => {
    const { begin, end, state, tick, trial, openForMs, changes } = opened();
    expect(openForMs()).toBe(breakerRules.openMs);
    tick(breakerRules.openMs);
    expect(state()).toBe("half_open");
    const tried = begin();
    expect(trial()).not.toBeNull();
    tried("works");
    expect(state()).toBe("closed");
    expect(trial()).toBeNull();
    expect(changes).toEqual(["open", "closed"]);
    // The failures from before are forgotten.
    end("fails", 4);
    expect(state()).toBe("closed");
  });

  it("opens again for twice the time if the trial fails, up to a minute", () => {
    const { begin, state, tick, openForMs } = opened();
    const times: number[] = [];
    for (let n = 0; n < 6; n++) {
      tick(openForMs());
      begin()("fails");
      expect(state()).toBe("open");
      times.push(openForMs());
    }
    expect(times).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  it("lets another call try if the trial was cancelled", async () => {
    const { begin, state, tick, trial } = opened();
    tick(breakerRules.openMs);
    const tried = begin();
    const ended = trial();
    tried("unknown");
    await ended;
    expect(trial()).toBeNull();
    begin()("works");
    expect(state()).toBe("closed");
  });

  it("ignores the late end of a call that began before it opened", () => {
    const { begin, end, state, tick } = setup();
    const slow = begin();
    end("fails", 5);
    slow("works");
    expect(state()).toBe("open");
    tick(breakerRules.openMs);
    begin()("works");
    slow("fails");
    end("fails", 4);
    expect(state()).toBe("closed");
  });

  it("closes when a write that was sent before continues and works", () => {
    const { begin, state } = opened();
    begin()("fails");
    expect(state()).toBe("open");
    begin()("works");
    expect(state()).toBe("closed");
  });

  it("takes a check for a trial only when its time is over", () => {
    const { checked, state, tick, openForMs } = opened();
    checked(true);
    expect(state()).toBe("open");
    tick(breakerRules.openMs);
    checked(false);
    expect(openForMs()).toBe(2 * breakerRules.openMs);
    tick(2 * breakerRules.openMs);
    checked(true);
    expect(state()).toBe("closed");
  });
});
