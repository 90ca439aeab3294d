import { describe, expect, it } from "vitest";
import { places } from "./places.ts";

const stay = new AbortController().signal;

describe("places", () => {
  it("are given out until all are taken, and again when one is left", () => {
    const two = places(2);
    const first = two.tryTake();
    expect(two.tryTake()).not.toBeNull();
    expect(two.tryTake()).toBeNull();
    first?.leave();
    first?.leave();
    expect(two.tryTake()).not.toBeNull();
    expect(two.tryTake()).toBeNull();
  });

  it("go to those who wait, in turn, before anybody who only tries", async () => {
    const one = places(1);
    const holder = one.tryTake();
    const order: string[] = [];
    const waiting = ["first", "second"].map(async (name) => {
      const place = await one.take(stay);
      order.push(name);
      expect(one.tryTake()).toBeNull();
      place.leave();
    });
    holder?.leave();
    await Promise.all(waiting);
    expect(order).toEqual(["first", "second"]);
  });

  it("are not kept for somebody who has stopped to wait", async () => {
    const one = places(1);
    const holder = one.tryTake();
    const leaving = new AbortController();
    const waiting = one.take(leaving.signal);
    leaving.abort(new Error("no longer"));
    await expect(waiting).rejects.toThrow("no longer");
    holder?.leave();
    expect(one.tryTake()).not.toBeNull();
    await expect(one.take(leaving.signal)).rejects.toThrow("no longer");
  });
});
