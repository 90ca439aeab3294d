import { type Log, silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { startGate } from "./start-gate.ts";

/** A gate whose checks give these answers, one after another. An Error is thrown. */
function setup(answers: readonly (string | Error | null)[], begin: () => Promise<void> = async () => undefined) {
  const left = [...answers];
  const done: string[] = [];
  const lines: string[] = [];
  const noted = (...args: readonly unknown[]): void => void lines.push(String(args.at(-1)));
  const log = { ...silentLog, error: noted, info: noted } as unknown as Log;
  const open = () =>
    startGate({
      obstacle: async () => {
        const answer = left.length > 1 ? left.shift() : left[0];
        if (answer instanceof Error) throw answer;
        return answer ?? null;
      },
      begin: async () => {
        await begin();
        done.push("begun");
        return { stop: async () => void done.push("stopped") };
      },
      log,
      waitsMs: [1],
    });
  return { open, done, lines };
}

describe("a gate before work", () => {
  it("begins at once if nothing speaks against it, and stops the work once", async () => {
    const { open, done, lines } = setup([null]);
    const gate = await open();
    expect([gate.unready(), done]).toEqual([[], ["begun"]]);
    await Promise.all([gate.stop(), gate.stop()]);
    expect(done).toEqual(["begun", "stopped"]);
    expect(lines).toEqual([]);
  });

  it("says why it waits, checks again, and begins when nothing speaks against it any more", async () => {
    const { open, done, lines } = setup(["it fails", "it fails", "it differs.", null]);
    const gate = await open();
    expect([gate.unready(), done]).toEqual([["it fails"], []]);
    await gate.settled;
    expect([gate.unready(), done]).toEqual([[], ["begun"]]);
    expect(lines).toEqual(["Not ready: it fails. It is checked again.", "Not ready: it differs. It is checked again.", "ready now"]);
    await gate.stop();
  });

  it("that is stopped while it waits never begins", async () => {
    const { open, done } = setup(["it fails"]);
    const gate = await open();
    await gate.stop();
    await gate.settled;
    expect(done).toEqual([]);
  });

  it("rejects with the first error of the check or the start, and survives a later one", async () => {
    await expect(setup([new Error("garbled")]).open()).rejects.toThrow("garbled");
    await expect(
      setup([null], async () => {
        throw new Error("refused");
      }).open(),
    ).rejects.toThrow("refused");
    let tries = 0;
    const { open, done, lines } = setup(["it fails", null], async () => {
      if (++tries === 1) throw new Error("refused");
    });
    const gate = await open();
    await gate.settled;
    expect([gate.unready(), done]).toEqual([[], ["begun"]]);
    expect(lines).toContain("Not ready: the start failed, and is tried again. It is checked again.");
    await gate.stop();
  });
});
