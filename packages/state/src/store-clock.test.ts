import { describe, expect, it } from "vitest";
import { steadyClock } from "./steady-clock.ts";
import { type StoreClock, storeClock } from "./store-clock.ts";

const HOUR = 3_600_000;
const STORE = 1_800_000_000_000;

describe("the store's time in a process", () => {
  it("is the store's last answer, carried on by the monotonic clock, whatever the machine's clock says", () => {
    const { machine, clock, ask } = setup({ wall: STORE + 2 * HOUR });
    ask(STORE);
    machine.pass(1500);
    expect(clock.now()).toBe(STORE + 1500);
    machine.wall -= 25 * HOUR;
    machine.pass(1000);
    expect(clock.now()).toBe(STORE + 2500);
  });

  it("is not moved by a slow answer that agrees with it, but by one that does not", () => {
    const { machine, clock, ask } = setup({ wall: STORE });
    ask(STORE);
    // The store answers the question at once, but the answer needs four seconds to arrive.
    const askedAt = machine.at;
    machine.pass(4000);
    expect(clock.heard(STORE, askedAt)).toBe(true);
    expect(clock.now()).toBe(STORE + 4000);
    ask(STORE + 10_000);
    expect(clock.now()).toBe(STORE + 10_000);
  });

  it("continues when the store's clock is set back, and reports that; it follows a small correction", () => {
    const { machine, clock, ask } = setup({ wall: STORE });
    ask(STORE);
    machine.pass(1000);
    expect(ask(STORE + 1000 - HOUR)).toBe(false);
    expect(clock.now()).toBe(STORE + 1000);
    expect(ask(STORE)).toBe(true);
    expect(clock.now()).toBe(STORE + 1);
  });

  it("reports a machine's clock that is off by more than two seconds, with the direction", () => {
    const { machine, clock, ask } = setup({ wall: STORE + 1900 });
    ask(STORE);
    expect(clock.faults()).toEqual([]);
    machine.wall += 2 * HOUR;
    expect(clock.faults()).toMatchObject([{ name: "ahead", sentence: expect.stringContaining("2.0 h ahead of the state store's") }]);
    machine.wall -= 27 * HOUR;
    expect(clock.faults()).toMatchObject([{ name: "behind", sentence: expect.stringContaining("25.0 h behind") }]);
    expect(clock.skew()).toBe(1900 - 25 * HOUR);
  });

  it("reports it from the operator's limit on, and any setback of the store's clock", () => {
    const { machine, clock, ask } = setup({ wall: STORE + 1500, skewWarnMs: 1000 });
    ask(STORE);
    expect(clock.faults()).toMatchObject([{ name: "ahead", sentence: expect.stringContaining("1.5 s ahead") }]);
    machine.wall -= 2400;
    expect(clock.faults()).toEqual([]);
    const patient = setup({ wall: STORE + HOUR / 2, skewWarnMs: HOUR });
    patient.ask(STORE);
    expect(patient.clock.faults()).toEqual([]);
    patient.clock.heldAhead(60_000);
    expect(patient.clock.faults()).toMatchObject([{ name: "set_back" }]);
  });

  it("is the machine's before the store's first answer, and does not go back when somebody sets that", () => {
    const { machine, clock } = setup({ wall: STORE });
    expect(clock.now()).toBe(STORE);
    machine.pass(1000);
    machine.wall -= HOUR;
    expect([clock.now(), clock.skew(), clock.faults()]).toEqual([STORE + 1000, null, []]);
  });
});

describe("the time of a store in this process", () => {
  it("follows the machine's clock forward, and does not go back with it", () => {
    const machine = machineAt(STORE);
    const now = steadyClock({ wall: () => machine.wall, monotonic: () => machine.at });
    now();
    machine.wall += HOUR;
    expect(now()).toBe(STORE + HOUR);
    machine.pass(5000);
    machine.wall -= 2 * HOUR;
    expect(now()).toBe(STORE + HOUR + 5000);
    machine.pass(5000);
    expect(now()).toBe(STORE + HOUR + 10_000);
  });

  it("follows a correction of a second", () => {
    const machine = machineAt(STORE);
    const now = steadyClock({ wall: () => machine.wall, monotonic: () => machine.at });
    now();
    machine.wall -= 1000;
    expect(now()).toBe(STORE - 1000);
  });
});

function machineAt(wall: number) {
  const machine = {
    wall,
    at: 500,
    pass(ms: number) {
      machine.wall += ms;
      machine.at += ms;
    },
  };
  return machine;
}

function setup({ wall, skewWarnMs }: { wall: number; skewWarnMs?: number }) {
  const machine = machineAt(wall);
  const clock: StoreClock = storeClock({
    wall: () => machine.wall,
    monotonic: () => machine.at,
    ...(skewWarnMs === undefined ? {} : { skewWarnMs }),
  });
  return { machine, clock, ask: (time: number) => clock.heard(time, machine.at) };
}
