import { describe, expect, it } from "vitest";
import { sharedLane } from "./shared-lane.ts";

const NEVER = new AbortController().signal;
const TIMES = { withinMs: 600_000, forMs: 600_000 };

describe("a lane of calls", () => {
  it("admits nobody beside an exclusive call, and everybody when it leaves", async () => {
    const lane = sharedLane();
    const alone = await lane.enterAlone(TIMES, NEVER);
    expect(alone.alone()).toBe(true);
    const inside: string[] = [];
    const entered = Promise.all(["a", "b"].map(async (name) => (await lane.enter(NEVER), inside.push(name))));
    await Promise.resolve();
    expect(inside).toEqual([]);
    alone.leave();
    await entered;
    expect(inside).toEqual(["a", "b"]);
  });

  it("gives an exclusive call its turn when the others have left", async () => {
    const lane = sharedLane();
    const other = await lane.enter(NEVER);
    const alone = lane.enterAlone(TIMES, NEVER);
    other.leave();
    expect((await alone).alone()).toBe(true);
  });

  it("admits others when the exclusive time is over, after that was recorded", async () => {
    const lane = sharedLane();
    const alone = await lane.enterAlone({ withinMs: 1, forMs: 1 }, NEVER);
    const noted: boolean[] = [];
    alone.onShared(async () => void noted.push(alone.alone()));
    await lane.enter(NEVER);
    expect(noted).toEqual([false]);
  });

  it("does not keep a stopped call waiting", async () => {
    const lane = sharedLane();
    await lane.enterAlone(TIMES, NEVER);
    const stopping = new AbortController();
    const waiting = Promise.all([lane.enter(stopping.signal), lane.enterAlone(TIMES, stopping.signal)]);
    stopping.abort();
    expect((await waiting).map((place) => place.alone())).toEqual([false, false]);
  });
});
