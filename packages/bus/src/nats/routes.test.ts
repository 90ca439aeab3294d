import { describe, expect, it } from "vitest";
import { routes } from "./routes.ts";
import { placeOf } from "./topology.ts";

const orders = placeOf("toolbus", "orders");

/** Returns routes to a server that has the queue if `there` is true. */
function setup({ there = true }: { readonly there?: boolean } = {}) {
  let time = 0;
  let asked = 0;
  let answer: () => boolean = () => there;
  const known = routes(
    async () => {
      asked++;
      return answer();
    },
    () => time,
  );
  return {
    known,
    asked: () => asked,
    pass: (ms: number) => void (time += ms),
    answers: (next: () => boolean) => void (answer = next),
  };
}

describe("what is known about queues", () => {
  it("is nothing until the server was asked, once for all simultaneous requests", async () => {
    const { known, asked } = setup();
    expect(known.has(orders)).toBe(false);
    expect(await Promise.all([known.find(orders), known.find(orders)])).toEqual([true, true]);
    expect(asked()).toBe(1);
    expect(known.has(orders)).toBe(true);
  });

  it("does not include missing queues", async () => {
    const { known, asked } = setup({ there: false });
    expect(await known.find(orders)).toBe(false);
    expect(await known.find(orders)).toBe(false);
    expect(known.has(orders)).toBe(false);
    expect(asked()).toBe(2);
  });

  it("is refreshed after a minute, and nobody waits for that", async () => {
    const { known, asked, pass, answers } = setup();
    known.add(orders);
    pass(60_000);
    expect(known.has(orders)).toBe(true);
    expect(asked()).toBe(0);
    pass(1);
    answers(() => false);
    expect(known.has(orders)).toBe(true);
    expect(await known.find(orders)).toBe(false);
    expect(asked()).toBe(1);
    expect(known.has(orders)).toBe(false);
  });

  it("is kept if the server does not answer, and is requested again", async () => {
    const { known, asked, pass, answers } = setup();
    known.add(orders);
    pass(60_001);
    answers(() => {
      throw new Error("No answer.");
    });
    expect(known.has(orders)).toBe(true);
    await expect(known.find(orders)).rejects.toThrow("No answer.");
    expect(known.has(orders)).toBe(true);
    await expect(known.find(orders)).rejects.toThrow("No answer.");
    expect(asked()).toBe(2);
  });
});
