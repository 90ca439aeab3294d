import { describe, expect, it } from "vitest";
import { roomMemory } from "./room-memory.ts";

function setup(most = 8) {
  const clock = { now: 0 };
  return { clock, memory: roomMemory(most, () => clock.now) };
}

describe("the memory of a principal's places", () => {
  it("leaves room for starts until half of the places are used", () => {
    const { memory } = setup();
    expect(memory.hasRoom("una")).toBe(false);
    memory.looked("una", 0, false);
    // The start that looked is the first one.
    expect([memory.hasRoom("una"), memory.hasRoom("una"), memory.hasRoom("una")]).toEqual([true, true, false]);
    memory.looked("una", 3, false);
    expect(memory.hasRoom("una")).toBe(false);
    expect(memory.hasRoom("ugo")).toBe(false);
  });

  it("lasts for a second", () => {
    const { memory, clock } = setup(100);
    memory.looked("una", 0, false);
    clock.now = 999;
    expect(memory.hasRoom("una")).toBe(true);
    clock.now = 1000;
    expect(memory.hasRoom("una")).toBe(false);
  });

  it("never helps where there are one or two places", () => {
    for (const most of [1, 2]) {
      const { memory } = setup(most);
      memory.looked("una", 0, false);
      expect(memory.hasRoom("una")).toBe(false);
    }
  });

  it("lets ended runs be taken out after a quarter of the places was started, or if nobody has looked yet", () => {
    const { memory } = setup();
    expect(memory.mayClean("una")).toBe(true);
    memory.looked("una", 6, true);
    memory.hasRoom("una");
    expect(memory.mayClean("una")).toBe(false);
    // A look without cleaning changes nothing about this.
    memory.looked("una", 6, false);
    memory.hasRoom("una");
    expect(memory.mayClean("una")).toBe(true);
  });
});
