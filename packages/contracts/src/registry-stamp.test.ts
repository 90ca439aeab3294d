import { describe, expect, it } from "vitest";
import { limitDifferences, parseRegistryStamp, stampOf, type StampedTool, toolDifferences } from "./registry-stamp.ts";

const read: StampedTool = { toolset: "orders", name: "look_up", version: "1", hash: "sha256-a", kind: "read", tier: "high" };
const write: StampedTool = { toolset: "orders", name: "pay", version: "2", hash: "sha256-b", kind: "write", tier: "high" };
const limits = { max_tool_rounds: { chat: 5 }, parallel_read_max: 8 };

describe("a registry stamp", () => {
  it("has the version of the registry, the limits, the writes of a high tier and the hash of each definition", () => {
    const other: StampedTool = { toolset: "mails", name: "send", version: "1", hash: "sha256-c", kind: "write", tier: "medium" };
    expect(stampOf([write, read, other], limits)).toEqual({
      stamp: 1,
      registry_version: expect.stringMatching(/^[0-9a-f]{16}$/),
      limits,
      hitl_tier_high: ["orders/pay@2"],
      toolsets: { mails: { "send@1": "sha256-c" }, orders: { "look_up@1": "sha256-a", "pay@2": "sha256-b" } },
    });
  });

  it("is the same for the same tools in any order, and is read as it was written", () => {
    const stamp = stampOf([write, read], limits);
    expect(JSON.stringify(stampOf([read, write], limits))).toBe(JSON.stringify(stamp));
    expect(parseRegistryStamp(JSON.stringify(stamp))).toEqual({ ok: true, value: stamp });
  });

  it("is refused if a person changed a tool in it", () => {
    const stamp = stampOf([write], limits);
    const changed = { ...stamp, toolsets: { orders: { "pay@2": "sha256-x" } } };
    expect(parseRegistryStamp(JSON.stringify(changed))).toMatchObject({ ok: false, problems: [{ path: "/registry_version" }] });
    expect(parseRegistryStamp("{")).toMatchObject({ ok: false });
  });

  it("names each tool that differs: changed, missing, further, or of another tier than its list says", () => {
    const stamp = stampOf([write, read], limits);
    const differences = (tools: readonly StampedTool[], all: boolean) => toolDifferences(stamp, "orders", tools, { all });
    expect(differences([write, read], true)).toEqual([]);
    expect(differences([{ ...write, hash: "sha256-x" }], true)).toEqual(["look_up@1 is missing", "pay@2 has another definition"]);
    const further = [write, read, { ...read, version: "2" }];
    expect(differences(further, true)).toEqual(["look_up@2 is not stamped"]);
    expect(differences(further, false)).toEqual([]);
    expect(toolDifferences({ ...stamp, hitl_tier_high: [] }, "orders", [write, read], { all: true })).toEqual([
      "pay@2 has the tier high, unlike hitl_tier_high",
    ]);
  });

  it("names each limit that differs", () => {
    const stamp = stampOf([], limits);
    expect(limitDifferences(stamp, limits)).toEqual([]);
    expect(limitDifferences(stamp, { max_tool_rounds: { chat: 6, direct: 2 }, parallel_read_max: 4 })).toEqual([
      "max_tool_rounds of chat is 6 here and 5 in the stamp",
      "max_tool_rounds of direct is 2 here and absent in the stamp",
      "parallel_read_max is 4 here and 8 in the stamp",
    ]);
  });
});
