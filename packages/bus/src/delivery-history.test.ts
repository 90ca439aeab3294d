import { describe, expect, it } from "vitest";
import { deliveryHistory } from "./delivery-history.ts";

describe("delivery history", () => {
  it("keeps the tries of a message in order until it is forgotten", () => {
    const history = deliveryHistory({ messages: 10, tries: 10 });
    history.add("a", { at: 1, reason: "first" });
    history.add("a", { at: 2, reason: "second" });
    expect(history.of("a")).toEqual([
      { at: 1, reason: "first" },
      { at: 2, reason: "second" },
    ]);
    history.forget("a");
    expect(history.of("a")).toEqual([]);
  });

  it("keeps only the last tries", () => {
    const history = deliveryHistory({ messages: 10, tries: 2 });
    for (const at of [1, 2, 3]) history.add("a", { at, reason: "again" });
    expect(history.of("a").map(({ at }) => at)).toEqual([2, 3]);
  });

  it("drops the message with the oldest last try", () => {
    const history = deliveryHistory({ messages: 2, tries: 2 });
    for (const id of ["a", "b", "a", "c"]) history.add(id, { at: 1, reason: "again" });
    expect(["a", "b", "c"].map((id) => history.of(id).length)).toEqual([2, 0, 1]);
  });
});
