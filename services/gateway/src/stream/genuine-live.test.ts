import { type Json, keys, type LiveEvent } from "@toolbus/contracts";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { genuineLive } from "./genuine-live.ts";

const RUN = "rn_03_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const OTHER = "rn_03_01ARZ3NDEKTSV4RRFFQ69G5FAW";
const delta = (offset: number, text: string): Json => ({ type: "delta", epoch: 1, round: 1, offset, after: 1, text });

async function setup() {
  const state = memoryStore({ clock: () => 1000 });
  const reported: LiveEvent[] = [];
  const warned: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void warned.push(fields) };
  const live = genuineLive({ runId: RUN, state, log, tell: (event) => void reported.push(event) });
  return { state, live, reported, warned };
}

describe("live events of a run in the feed", () => {
  it("are shown in order when the run's own log has them", async () => {
    const { state, live, reported, warned } = await setup();
    for (const batch of [delta(0, "Hel"), delta(3, "lo.")]) {
      await state.live(keys.live(RUN), batch);
      live.heard(batch);
    }
    await expect.poll(() => reported.map((event) => ("text" in event ? event.text : ""))).toEqual(["Hel", "lo."]);
    expect(warned).toEqual([]);
  });

  it("are not shown when only the feed has them, nor when another run's log does, and are counted in a warning", async () => {
    const { state, live, reported, warned } = await setup();
    await state.live(keys.live(OTHER), delta(0, "Theirs."));
    await state.live(keys.live(RUN), delta(0, "Ours."));
    for (const text of ["Forged.", "Theirs.", "Ours."]) live.heard(delta(0, text));
    await expect.poll(() => reported).toEqual([delta(0, "Ours.")]);
    const dropped = warned.map((fields) => ("dropped" in fields ? Number(fields.dropped) : 0));
    expect(dropped.reduce((sum, count) => sum + count, 0)).toBe(2);
  });
});
