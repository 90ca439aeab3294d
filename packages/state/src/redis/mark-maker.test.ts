import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { markMaker } from "./mark-maker.ts";

describe("marks", () => {
  it("have eight characters and differ from the last thousand marks", () => {
    const newMark = markMaker(randomBytes);
    const marks = Array.from({ length: 1000 }, newMark);
    expect(new Set(marks).size).toBe(1000);
    expect(marks.every((mark) => /^[\w-]{8}$/.test(mark))).toBe(true);
  });

  it("come from the given randomness", () => {
    const newMark = markMaker((bytes) => new Uint8Array(bytes).fill(255));
    expect(newMark()).toBe("________");
  });
});
