import { type Json, keys, type Pin, type ToolDefinition } from "@toolbus/contracts";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { sealedUnderTest } from "../testing/approvals-under-test.ts";
import { pinStore } from "./pin-store.ts";
import type { OpenedDocument, ReadDocument } from "../sealed/sealed-store.ts";

const KEY = keys.pin("issue_refund");
const VERSION = 7;
const definition: ToolDefinition = {
  name: "issue_refund",
  version: "1",
  description: "Refunds an order.",
  parameters: { type: "object" },
  kind: "write",
  risk: { tier: "high" },
  idempotency: { mode: "none" },
  timeoutMs: 1000,
  source: "orders",
};
const pin: Pin = { toolset: "orders", definition, hash: "sha256-1", enabled: true, pinnedAt: 1, pinnedBy: "olga", receiptKeys: [] };

function setup() {
  const state = memoryStore({ clock: () => 1 });
  const { sealed } = sealedUnderTest(state);
  return { pins: pinStore({ sealed, log: silentLog }), [Symbol.asyncDispose]: () => state.close() };
}

function genuine(value: Pin, signature: string): ReadDocument {
  return found({ kind: "genuine", version: VERSION, value: { ...value, signature } as unknown as Json });
}

function found(opened: OpenedDocument): ReadDocument {
  return { key: KEY, stored: null, opened };
}

describe("a pin as it is read", () => {
  it("counts again when a forged document over it is gone, under the same version", async () => {
    await using t = setup();
    expect(t.pins.of(genuine(pin, "one")).pin).toMatchObject({ enabled: true });
    const refused: OpenedDocument = { kind: "refused", version: VERSION, why: "forged", detail: "another content", seen: 1 };
    expect(t.pins.of(found(refused))).toEqual({ version: VERSION, pin: null, fault: "forged" });
    expect(t.pins.of(genuine(pin, "one"))).toMatchObject({ version: VERSION, pin: { enabled: true }, fault: null });
  });

  it("is not mistaken for an older one whose version somebody gave it", async () => {
    await using t = setup();
    expect(t.pins.of(genuine(pin, "one")).pin).toMatchObject({ enabled: true });
    expect(t.pins.of(genuine({ ...pin, enabled: false }, "two")).pin).toMatchObject({ enabled: false });
  });
});
