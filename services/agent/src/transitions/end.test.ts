import { describe, expect, it } from "vitest";
import { limitReached } from "./end.ts";
import { bundle } from "../testing/test-bundle.ts";

describe("limits", () => {
  it("of rounds are each profile's own: the seed round and the last allowed one do not end a run", async () => {
    const b = bundle({ profile: { limits: { maxRounds: 25, activeMs: 600_000, maxTools: 12, maxTokens: 1000 } } });
    await b.start();
    const snapshot = await b.snapshot();
    const at = (round: number) =>
      limitReached({ ...snapshot, run: { ...snapshot.run, value: { ...snapshot.run.value, round } } }, b.rules)?.code;
    expect([at(0), at(6), at(25), at(26)]).toEqual([undefined, undefined, undefined, "round_limit"]);
  });

  it("of one round are written in the singular", async () => {
    const b = bundle({ profile: { limits: { maxRounds: 1, activeMs: 600_000, maxTools: 12, maxTokens: 1000 } } });
    await b.start();
    const snapshot = await b.snapshot();
    const ended = limitReached({ ...snapshot, run: { ...snapshot.run, value: { ...snapshot.run.value, round: 2 } } }, b.rules);
    expect(ended?.message).toBe("The run used its 1 round without an answer.");
  });
});
