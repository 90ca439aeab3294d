import { describe, expect, it } from "vitest";
import { eventId, parseEventId } from "./event-id.ts";

const RUN = "rn_05_01JD0000000000000000000001";

describe("the id of an event", () => {
  it("reads back as its sequence", () => {
    for (const sequence of [0, 1, 200, 999_999_999_999_999]) expect(parseEventId(eventId(RUN, sequence), RUN)).toBe(sequence);
  });

  it("is the beginning when a client has none", () => {
    expect([parseEventId(undefined, RUN), parseEventId("", RUN)]).toEqual([0, 0]);
  });

  it.each([`${RUN}~1:1`, `${RUN}:`, `${RUN}:1 `, `${RUN}:0x1`, `${RUN}:1e3`, `${RUN}:+1`, RUN, "1", ":1"])("is not %j", (id) => {
    expect(parseEventId(id, RUN)).toBeNull();
  });

  it("is not two headers", () => {
    expect(parseEventId([`${RUN}:1`, `${RUN}:2`], RUN)).toBeNull();
  });
});
