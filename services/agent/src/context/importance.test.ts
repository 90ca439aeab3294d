import type { TranscriptEntry } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { score } from "./importance.ts";
import type { Unit } from "./units.ts";

const OURS = "rn_00_00000000000000000000000001";
const OTHERS = "rn_00_00000000000000000000000002";
const TOKENS = 100;

const head = { at: 0, runId: OTHERS, round: 1 };
const turnOf = (name: string, runId = OTHERS): TranscriptEntry =>
  ({
    ...head,
    runId,
    type: "assistant",
    text: "",
    calls: [{ callId: `${runId}.1.0`, name, arguments: "{}" }],
  }) as unknown as TranscriptEntry;
const result = (isError: boolean): TranscriptEntry =>
  ({ ...head, type: "result", callId: `${OTHERS}.1.0`, content: "x", isError }) as unknown as TranscriptEntry;
const unit = (...entries: readonly TranscriptEntry[]): Unit => ({
  tokens: TOKENS,
  entries: entries.map((entry, n) => ({ sequence: n + 1, entry })),
});

const message = unit({ ...head, type: "user", text: "Hello." } as unknown as TranscriptEntry);
const write = unit(turnOf("refund"), result(false));
const failure = unit(turnOf("look_up"), result(true));
const answer = unit({ ...head, type: "assistant", text: "So it is.", calls: [] } as unknown as TranscriptEntry);
const lookup = unit(turnOf("look_up"), result(false));

describe("how much a part of a conversation matters", () => {
  const place = { runId: OURS, isWrite: (tool: string) => tool === "refund", age: 0.5, room: 100_000 };

  it("is most for a write, then a message of the person, a failure, an answer, and least for a lookup", () => {
    const scores = [write, message, failure, answer, lookup].map((one) => score(one, place));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(5);
  });

  it("ranks an old write or message above a new lookup", () => {
    const fresh = score(lookup, { ...place, age: 0 });
    expect(score(write, { ...place, age: 1 })).toBeGreaterThan(fresh);
    expect(score(message, { ...place, age: 1 })).toBeGreaterThan(fresh);
  });

  it("is more for parts of the current run, for newer parts, and for small ones", () => {
    const before = score(lookup, place);
    expect(score(unit(turnOf("look_up", OURS), result(false)), place)).toBeGreaterThan(before);
    expect(score(lookup, { ...place, age: 0.4 })).toBeGreaterThan(before);
    expect(score({ ...lookup, tokens: 10 * TOKENS }, { ...place, room: 10_000 })).toBeLessThan(score(lookup, { ...place, room: 10_000 }));
  });
});
