import type { ArgumentsDelta, Json, TextDelta } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { argumentsOf, deltaOf, liveText } from "./live-text.ts";

describe("live text", () => {
  it("passes every delta of a round once, in order", () => {
    const text = liveText(-1);
    expect([delta(1, 1, 0), delta(1, 1, 3), delta(1, 1, 3), delta(1, 1, 0), delta(1, 1, 6)].flatMap(text.take)).toEqual([
      delta(1, 1, 0),
      delta(1, 1, 3),
      delta(1, 1, 6),
    ]);
  });

  it("continues after a loss: it passes the gap, which its offset shows", () => {
    const text = liveText(-1);
    expect([delta(1, 1, 0), delta(1, 1, 90)].flatMap(text.take)).toEqual([delta(1, 1, 0), delta(1, 1, 90)]);
  });

  it("drops the rest of a round whose turn is there", () => {
    const text = liveText(-1);
    text.turned(1);
    expect(text.take(delta(1, 1, 0))).toEqual([]);
    expect(text.take(delta(2, 2, 0))).toEqual([delta(2, 2, 0)]);
    text.turned(0);
    expect(text.take(delta(2, 1, 9))).toEqual([]);
  });

  it("drops rounds whose turn was stored before the viewer came", () => {
    const text = liveText(3);
    expect(text.take(delta(5, 3, 0))).toEqual([]);
    expect(text.take(delta(5, 4, 0))).toEqual([delta(5, 4, 0)]);
  });

  it("resets a round that another epoch writes again, and ignores the old one", () => {
    const text = liveText(-1);
    expect(text.take(delta(1, 1, 0))).toEqual([delta(1, 1, 0)]);
    expect(text.take(delta(2, 1, 0))).toEqual([{ type: "reset", epoch: 2, round: 1 }, delta(2, 1, 0)]);
    expect(text.take(delta(1, 1, 3))).toEqual([]);
    expect(text.take(delta(2, 1, 3))).toEqual([delta(2, 1, 3)]);
  });

  it("needs no reset for a new round", () => {
    const text = liveText(-1);
    expect([delta(1, 1, 0), delta(2, 2, 0)].flatMap(text.take)).toEqual([delta(1, 1, 0), delta(2, 2, 0)]);
  });
});

describe("arguments that are written", () => {
  it("pass while their round is written, and are dropped when its turn is there", () => {
    const text = liveText(-1);
    expect(text.takeArguments(written(1, 1))).toEqual([written(1, 1)]);
    text.turned(1);
    expect(text.takeArguments(written(1, 1))).toEqual([]);
    expect(text.takeArguments(written(2, 2))).toEqual([written(2, 2)]);
  });

  it("reset the round like text does when another epoch writes it again, once for both", () => {
    const text = liveText(-1);
    text.take(delta(1, 1, 0));
    expect(text.takeArguments(written(2, 1))).toEqual([{ type: "reset", epoch: 2, round: 1 }, written(2, 1)]);
    expect(text.take(delta(2, 1, 0))).toEqual([delta(2, 1, 0)]);
    expect(text.takeArguments(written(1, 1))).toEqual([]);
  });

  it("are known by their fields, and nothing else passes as them", () => {
    expect(argumentsOf({ ...written(1, 2), secret: "x" })).toEqual(written(1, 2));
    for (const bad of [null, [], { ...written(1, 1), type: "delta" }, { ...written(1, 1), index: -1 }, { ...written(1, 1), members: [] }])
      expect(argumentsOf(bad as Json)).toBeNull();
  });
});

describe("a live batch", () => {
  it("is a delta, and nothing but its fields", () => {
    expect(deltaOf({ ...delta(1, 2, 3), secret: "x" })).toEqual(delta(1, 2, 3));
  });

  it.each([
    null,
    7,
    "text",
    [],
    {},
    { ...delta(1, 1, 0), epoch: "1" },
    { ...delta(1, 1, 0), round: -1 },
    { ...delta(1, 1, 0), text: null },
    { ...delta(1, 1, 0), after: 0.5 },
  ])("is not a delta: %j", (batch) => {
    expect(deltaOf(batch)).toBeNull();
  });
});

function delta(epoch: number, round: number, offset: number): TextDelta {
  return { type: "delta", epoch, round, offset, after: 0, text: "abc" };
}

function written(epoch: number, round: number): ArgumentsDelta {
  return { type: "arguments", epoch, round, after: 0, index: 0, tool: "look", members: { n: 1 } };
}
