import { describe, expect, it } from "vitest";
import { deliveryCount } from "./delivery-count.ts";

const count = (headers: Record<string, unknown> | undefined, redelivered = false) =>
  deliveryCount({ fields: { redelivered }, properties: { headers } });

describe("the count of a delivery", () => {
  it.each([
    ["1 for the first one", undefined, false, 1],
    ["what the broker counted, and this one", { "x-delivery-count": 2 }, true, 3],
    ["the deliveries before its last retry, and this one", { "x-toolbus-deliveries": 4 }, false, 5],
    ["both together", { "x-delivery-count": 2, "x-toolbus-deliveries": 4 }, true, 7],
    ["at least 2 if the broker says only that it was delivered before", {}, true, 2],
    ["not moved by nonsense", { "x-delivery-count": -3, "x-toolbus-deliveries": "many" }, false, 1],
    ["not moved by fractions", { "x-toolbus-deliveries": 1.5 }, false, 1],
    ["bounded, whatever somebody claims", { "x-toolbus-deliveries": Number.MAX_SAFE_INTEGER }, false, 1_000_001],
  ])("is %s", (_, headers, redelivered, expected) => {
    expect(count(headers, redelivered)).toBe(expected);
  });
});
