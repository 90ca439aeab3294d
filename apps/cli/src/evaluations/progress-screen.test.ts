import { describe, expect, it } from "vitest";
import { leftMs, progressLine, progressScreen } from "./progress-screen.ts";

const at = (done: number, told: object = {}) => ({ total: 20, done, known: 0, failed: 0, errors: 0, ...told });

function screenUnder({
  isTTY,
  quiet = false,
  erases = true,
  columns = 80,
}: {
  isTTY: boolean;
  quiet?: boolean;
  erases?: boolean;
  columns?: number;
}) {
  let now = 0;
  let text = "";
  const sink = { isTTY, columns, write: (more: string) => (text += more) };
  const screen = progressScreen({ sink, quiet, erases, parallel: 2, now: () => now });
  return {
    screen,
    pass: (ms: number) => void (now += ms),
    said: () => text,
    /** The lines that stood at the terminal, one after the other. */
    lines: () => text.split("\u001b[K").map((line) => line.replace("\r", "")),
  };
}

describe("the progress of an evaluation", () => {
  it("is a bar with the time that is left at a terminal, which is written over itself and goes away at the end", () => {
    const { screen, pass, said, lines } = screenUnder({ isTTY: true });
    screen.update(at(0));
    pass(10_000);
    screen.update(at(5, { failed: 1 }));
    pass(10);
    screen.update(at(6));
    screen.end();
    expect(lines()).toEqual([
      `[${".".repeat(24)}] 0 of 20 trials`,
      `[${"#".repeat(6)}${".".repeat(18)}] 5 of 20 trials, 1 failed, about 30 s left`,
      "",
      "",
    ]);
    expect(said()).not.toContain("\n");
    expect(said()).not.toContain("\r\u001b[K[");
    screen.tick();
    expect(lines()).toHaveLength(4);
  });

  it("counts the time down between two trials, and never below one second", () => {
    const { screen, pass, lines } = screenUnder({ isTTY: true });
    screen.update(at(0));
    pass(10_000);
    screen.update(at(5));
    pass(7000);
    screen.tick();
    screen.tick();
    pass(60_000);
    screen.tick();
    expect(lines().map((line) => /about .+/.exec(line)?.[0])).toEqual([
      undefined,
      "about 30 s left",
      "about 23 s left",
      "about 1 s left",
      undefined,
    ]);
  });

  it("does not count the start of the services as time of the trials", () => {
    const { screen, pass, lines } = screenUnder({ isTTY: true });
    screen.update(at(0));
    pass(60_000);
    screen.update(at(0));
    pass(1000);
    screen.update(at(10));
    expect(lines().at(-2)).toContain("about 1 s left");
  });

  it.each([20, 30, 39, 40, 60, 80, 200])("fits into a terminal with %i columns, and shortens the bar first", (columns) => {
    const { screen, pass, lines } = screenUnder({ isTTY: true, columns });
    screen.update(at(0));
    pass(10_000);
    screen.update(at(5));
    const [, line = ""] = lines();
    expect(line.length).toBeLessThan(columns);
    if (columns >= 40) expect(line).toContain("5 of 20 trials, about 30 s left");
    expect(line.startsWith("[")).toBe(columns >= 60);
  });

  it("says the same in fewer words where the words do not fit", () => {
    const { screen, pass, lines } = screenUnder({ isTTY: true, columns: 40 });
    screen.update({ total: 500, done: 0, known: 0, failed: 0, errors: 0 });
    pass(10_000);
    screen.update({ total: 500, done: 100, known: 0, failed: 12, errors: 0 });
    expect(lines().at(-2)).toBe("100/500, 12 failed, 40 s left");
  });

  it.each([
    ["elsewhere", { isTTY: false }],
    ["at a terminal that cannot erase", { isTTY: true, erases: false }],
  ])("is a line every few seconds %s, without a bar", (_, options) => {
    const { screen, pass, said } = screenUnder(options);
    screen.update(at(0));
    pass(4000);
    screen.update(at(2));
    screen.tick();
    pass(1000);
    screen.update(at(5));
    screen.tick();
    screen.end();
    expect(said()).toBe("5 of 20 trials, about 15 s left\n");
  });

  it("is nothing if nobody wants it", () => {
    const { screen, pass, said } = screenUnder({ isTTY: true, quiet: true });
    screen.update(at(1));
    pass(1000);
    screen.tick();
    screen.end();
    expect(said()).toBe("");
  });

  it("names no time before more trials have finished than run at the same time", () => {
    const parts = { elapsedMs: 8000, parallel: 8 };
    expect(leftMs(at(8), parts)).toBeNull();
    expect(leftMs(at(10), parts)).toBe(8000);
    expect(leftMs(at(20), parts)).toBeNull();
    // Two trials are left, so no more than two ran at the same time with the last one.
    expect(leftMs({ total: 5, done: 3, known: 0 }, parts)).toBeCloseTo(5333, 0);
  });

  it("does not count the trials of an earlier start as fast", () => {
    expect(leftMs(at(15, { known: 10 }), { elapsedMs: 10_000, parallel: 2 })).toBe(10_000);
    expect(leftMs(at(10, { known: 10 }), { elapsedMs: 0, parallel: 2 })).toBeNull();
  });

  it.each([
    [99_400, "99 s"],
    [119_000, "2 min"],
    [5_900_000, "98 min"],
    [7_100_000, "2 h"],
  ])("rounds %i ms to %s", (left, words) => {
    expect(progressLine(at(15, { errors: 2 }), left)).toBe(`15 of 20 trials, 2 in error, about ${words} left`);
  });
});
