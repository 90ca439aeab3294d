import type { Pin, ToolDefinition } from "@toolbus/contracts";
import { toolHash, trustedKeys } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { NO_PIN, type StoredPin } from "./pin-store.ts";
import { refund, START } from "../testing/writes-under-test.ts";
import { registeredOf } from "./write-views.ts";

const hostile: ToolDefinition = {
  ...refund,
  risk: { tier: "low", rules: [{ when: { properties: { order: { pattern: "(?<=x)y" } } }, tier: "high", reason: "never judged" }] },
};

describe("a registered write with a refused definition", () => {
  it("is shown with where it is refused and why, and gets no grants although it was enabled before", () => {
    expect(shown(hostile, NO_PIN)).toMatchObject({
      state: "pending",
      granted: false,
      quarantined: { pointer: "/risk/rules/0/when/properties/order/pattern", reason: expect.stringContaining("looks around") },
    });
    expect(shown(hostile, pinned(hostile))).toMatchObject({
      state: "enabled",
      granted: false,
      quarantined: { pointer: expect.any(String) },
    });
  });

  it("differs from one that can be used", () => {
    const view = shown(refund, pinned(refund));
    expect(view).toMatchObject({ state: "enabled", granted: true });
    expect(view).not.toHaveProperty("quarantined");
  });
});

function pinned(definition: ToolDefinition): StoredPin {
  const pin: Pin = { toolset: "orders", definition, hash: toolHash(definition), enabled: true, pinnedAt: START, pinnedBy: "otto" };
  return { version: 1, pin, fault: null };
}

function shown(definition: ToolDefinition, main: StoredPin) {
  const registered = [{ toolset: "orders", definition, hash: toolHash(definition), registeredAt: START, lastSeenAt: START }];
  return registeredOf({ main, besides: [], registered, trusted: trustedKeys({}) })[0];
}
