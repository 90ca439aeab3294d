import { describe, expect, it } from "vitest";
import { interrupts } from "./interrupts.ts";

function setup() {
  const clock = { ms: 0 };
  const quits: number[] = [];
  const presses = interrupts(
    () => clock.ms,
    () => quits.push(clock.ms),
  );
  const press = (at: number): void => {
    clock.ms = at;
    presses.press();
  };
  const signal = (at: number): void => {
    clock.ms = at;
    presses.signalled();
  };
  const terminated = (at: number): void => {
    clock.ms = at;
    presses.terminated();
  };
  return { presses, press, signal, terminated, quits };
}

describe("Ctrl-C", () => {
  it("exits with code 130 by default", () => {
    const { presses, press } = setup();
    press(0);
    expect(presses.leave.reason).toMatchObject({ exitCode: 130 });
  });

  it("first does what the command set, then leaves, then quits at once", () => {
    const { presses, press, quits } = setup();
    let cancelled = 0;
    presses.first(() => cancelled++);
    press(0);
    expect([cancelled, presses.leave.aborted]).toEqual([1, false]);
    press(1000);
    expect([cancelled, presses.leave.aborted, quits]).toEqual([1, true, []]);
    press(2000);
    expect(quits).toEqual([2000]);
  });

  it("counts once when the terminal and a parent process both pass it on", () => {
    const { presses, signal } = setup();
    presses.first(() => undefined);
    signal(0);
    signal(5);
    signal(10);
    expect(presses.leave.aborted).toBe(false);
    signal(1000);
    expect(presses.leave.aborted).toBe(true);
  });

  it("leaves when the command has withdrawn its handler", () => {
    const { presses, press } = setup();
    let cancelled = 0;
    presses.first(() => cancelled++)();
    press(0);
    expect([cancelled, presses.leave.aborted]).toEqual([0, true]);
  });
});

describe("a signal to stop", () => {
  it("leaves whatever a command set for Ctrl-C, and only once if a group and a parent both pass it on; a second time quits", () => {
    const { presses, terminated, quits } = setup();
    let cancelled = 0;
    presses.first(() => cancelled++);
    terminated(0);
    terminated(5);
    expect([cancelled, quits]).toEqual([0, []]);
    expect(presses.leave.reason).toMatchObject({ exitCode: 130 });
    terminated(1000);
    expect(quits).toEqual([1000]);
  });
});
