import { describe, expect, it } from "vitest";
import { progressLine, progressScreen } from "./progress-screen.ts";

const at = (done: number, told: object = {}) => ({ total: 20, done, known: 0, failed: 0, errors: 0, ...told });

function screenUnder({ isTTY, quiet = false }: { readonly isTTY: boolean; readonly quiet?: boolean }) {
  let now = 0;
  let text = "";
  const screen = progressScreen({ sink: { isTTY, columns: 80, write: (more) => (text += more) }, quiet, now: () => now });
  return { screen, pass: (ms: number) => void (now += ms), said: () => text };
}

describe("the progress of an evaluation", () => {
  it("is a bar with the time that is left at a terminal, which goes away at the end", () => {
    const { screen, pass, said } = screenUnder({ isTTY: true });
    screen.update(at(0));
    pass(10_000);
    screen.update(at(5, { failed: 1 }));
    pass(10);
    screen.update(at(6));
    screen.end();
    expect(said().split("\r\u001b[K").slice(1)).toEqual([
      `[${".".repeat(24)}] 0 of 20 trials`,
      `[${"#".repeat(6)}${".".repeat(18)}] 5 of 20 trials, 1 failed, about 30 s left`,
      "",
    ]);
  });

  it("is a line every few seconds elsewhere, and nothing if nobody wants it", () => {
    const { screen, pass, said } = screenUnder({ isTTY: false });
    screen.update(at(1));
    pass(4000);
    screen.update(at(2));
    pass(1000);
    screen.update(at(5));
    screen.end();
    expect(said()).toBe("5 of 20 trials, about 15 s left\n");
    const quiet = screenUnder({ isTTY: true, quiet: true });
    quiet.screen.update(at(1));
    quiet.screen.end();
    expect(quiet.said()).toBe("");
  });

  it("does not count the trials of an earlier start as fast", () => {
    expect(progressLine(at(15, { known: 10, errors: 2 }), 10_000)).toBe("15 of 20 trials, 2 in error, about 10 s left");
    expect(progressLine(at(10, { known: 10 }), 0)).toBe("10 of 20 trials");
  });
});
