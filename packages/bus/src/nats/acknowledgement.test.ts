import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deliveryInfo, nak } from "./acknowledgement.ts";

describe("the reply subject of a delivery", () => {
  it("contains the count and the number in the stream, in the form of each server", () => {
    expect(deliveryInfo("$JS.ACK.TOOLBUS_WORK.toolbus_orders.3.17.21.1795265990457440515.0")).toEqual({ count: 3, sequence: 17 });
    expect(deliveryInfo("$JS.ACK._.hash.TOOLBUS_WORK.toolbus_orders.3.17.21.1795265990457440515.0.random")).toEqual({
      count: 3,
      sequence: 17,
    });
  });

  it.each(["", "_INBOX_toolbus_all.1", "$JS.ACK.", "$JS.ACK.S.C.x.y.1.1.1"])("is not a delivery if it is %j", (reply) => {
    expect(deliveryInfo(reply)).toBeNull();
  });

  it("never makes the reader throw", () => {
    fc.assert(fc.property(fc.string(), (text) => void deliveryInfo(`$JS.ACK.${text}`)));
  });
});

describe("giving back", () => {
  it.each([
    [0, "-NAK"],
    [-1, "-NAK"],
    [Number.NaN, "-NAK"],
    [250, '-NAK {"delay":250000000}'],
    [0.1234567, '-NAK {"delay":123457}'],
    [Number.POSITIVE_INFINITY, '-NAK {"delay":86400000000000}'],
  ])("for %d ms is a whole number of nanoseconds, at most a day", (ms, payload) => {
    expect(nak(ms)).toBe(payload);
  });
});
