import type { Era } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { noteLosses, RAISE_EVERY_MS, RAISES_PER_HOUR, raised, resumed } from "./era.ts";

const NOW = 1_800_000_000_000;
const SECONDS = NOW / 1000;
const held: Era = { era: SECONDS, raisedAt: NOW, reason: "the store lost writes of shard 03", lost: [{ shard: "03", lostAt: NOW }] };
const note = (before: Era | null, losses: Parameters<typeof noteLosses>[1], now = NOW, resumeAfterMs = 0) =>
  noteLosses(before, losses, { now, by: "worker.orders", resumeAfterMs });

describe("a loss of writes", () => {
  it("raises the era once for all of its shards, and holds them", () => {
    const losses = ["05", "03", "03"].map((shard) => ({ shard, seenAt: NOW - 1 }));
    expect(note(null, losses)).toEqual({
      era: {
        era: SECONDS,
        raisedAt: NOW,
        reason: "the store lost writes of 2 shards",
        lost: [
          { shard: "03", lostAt: NOW },
          { shard: "05", lostAt: NOW },
        ],
        raises: ["03", "05"].map((shard) => ({ shard, by: "worker.orders", at: NOW })),
      },
      shards: ["03", "05"],
      refused: [],
      waitMs: 0,
    });
    expect(note(null, [{ shard: "03", seenAt: NOW - 1 }]).era).toMatchObject(held);
  });

  it("is the known one for a process that last saw the shard before it was held, however late it reports and whether or not the shard was resumed", () => {
    const later = NOW + 3_600_000;
    const done = { ...held, lost: [{ shard: "03", lostAt: NOW, resumeAt: NOW + 5, resumedBy: "otto" }] };
    for (const before of [held, done])
      for (const seenAt of [0, NOW - 1, NOW])
        expect(note(before, [{ shard: "03", seenAt }], later)).toEqual({ era: null, shards: [], refused: [], waitMs: 0 });
  });

  it("that was seen after that is a new one, and holds the shard again", () => {
    const done = { ...held, lost: [{ shard: "03", lostAt: NOW, resumeAt: NOW + 5, resumedBy: "otto" }] };
    const now = NOW + 3_600_000;
    expect(note(done, [{ shard: "03", seenAt: NOW + 1 }], now).era).toMatchObject({
      era: now / 1000,
      lost: [{ shard: "03", lostAt: now }],
    });
  });

  it("is looked at again a minute after the last one of its shard, and only of that shard", () => {
    const losses = [
      { shard: "03", seenAt: NOW + 10 },
      { shard: "04", seenAt: NOW + 10 },
    ];
    const noted = note(held, losses, NOW + 20_000);
    expect(noted).toMatchObject({ shards: ["04"], waitMs: RAISE_EVERY_MS - 20_000 });
    expect(note(noted.era, losses, NOW + RAISE_EVERY_MS)).toMatchObject({ shards: ["03"], waitMs: 0 });
  });

  it("is believed three times an hour for one sender and shard, and still for another sender", () => {
    let before: Era | null = null;
    for (let n = 0; n < RAISES_PER_HOUR; n++) {
      const now = NOW + n * RAISE_EVERY_MS;
      const noted = note(before, [{ shard: "03", seenAt: now }], now);
      expect(noted).toMatchObject({ shards: ["03"], refused: [] });
      before = noted.era;
    }
    const now = NOW + RAISES_PER_HOUR * RAISE_EVERY_MS;
    const losses = [{ shard: "03", seenAt: now }];
    expect(note(before, losses, now)).toEqual({ era: null, shards: [], refused: ["03"], waitMs: 0 });
    expect(note(before, [{ shard: "04", seenAt: now }], now)).toMatchObject({ shards: ["04"], refused: [] });
    expect(noteLosses(before, losses, { now, by: "agent", resumeAfterMs: 0 })).toMatchObject({ shards: ["03"], refused: [] });
    const later = NOW + 3_600_000;
    expect(note(before, [{ shard: "03", seenAt: later }], later)).toMatchObject({ shards: ["03"], refused: [] });
  });

  it("cannot be in the future: a sender that says so is limited like any other", () => {
    expect(note(held, [{ shard: "03", seenAt: NOW + 1e9 }], NOW + 1)).toMatchObject({ shards: [], waitMs: RAISE_EVERY_MS - 1 });
    expect(note(held, [{ shard: "03", seenAt: NOW + 1e9 }], NOW)).toMatchObject({ shards: [], waitMs: 0 });
  });

  it("is resumed by policy when there is one", () => {
    expect(note(null, [{ shard: "03", seenAt: 0 }], NOW, 5000).era?.lost).toEqual([
      { shard: "03", lostAt: NOW, resumeAt: NOW + 5000, resumedBy: "policy" },
    ]);
  });
});

describe("a raised era", () => {
  it("is above every one that may have been lost, and above the previous one whatever the clock says", () => {
    expect(raised(null, { now: NOW, reason: "r", held: [] })).toEqual({ era: SECONDS, raisedAt: NOW, reason: "r" });
    expect(raised({ era: SECONDS + 7, raisedAt: NOW, reason: "r" }, { now: NOW, reason: "r", held: [] }).era).toBe(SECONDS + 8);
  });

  it("keeps the shards that are held", () => {
    const next = raised(held, { now: NOW + 1, reason: "r", held: [{ shard: "01", lostAt: NOW + 1 }] });
    expect(next.lost).toEqual([{ shard: "01", lostAt: NOW + 1 }, ...(held.lost ?? [])]);
  });
});

describe("a resume", () => {
  const both: Era = {
    ...held,
    lost: [
      { shard: "03", lostAt: NOW },
      { shard: "05", lostAt: NOW, resumeAt: NOW + 9000, resumedBy: "policy" },
    ],
  };

  it("affects the named shards, or all, and leaves the era unchanged", () => {
    expect(resumed(both, { shards: ["03", "04"], by: "otto", now: NOW + 1 })).toEqual({
      era: { ...both, lost: [{ shard: "03", lostAt: NOW, resumeAt: NOW + 1, resumedBy: "otto" }, both.lost?.[1]] },
      shards: ["03"],
    });
    expect(resumed(both, { shards: null, by: "otto", now: NOW + 1 })?.shards).toEqual(["03", "05"]);
  });

  it("changes nothing if nothing is held", () => {
    expect(resumed(null, { shards: null, by: "otto", now: NOW })).toBeNull();
    expect(resumed(both, { shards: ["05"], by: "otto", now: NOW + 9000 })).toBeNull();
  });
});
