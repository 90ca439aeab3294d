import type { ToolView } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { toolLines } from "./show-tool.ts";

const tool: ToolView = {
  name: "look_up",
  version: "1",
  preferred: true,
  toolset: "orders",
  source: "orders",
  kind: "read",
  tier: "low",
  description: "Looks up.",
  parameters: { type: "object", properties: {} },
  hash: "sha256-a",
  available: true,
  availability: "ready",
  registeredAt: 0,
  lastSeenAt: 0,
};

describe("a tool on the terminal", () => {
  it("shows who owns it, what it promises, what it depends on and its limits", () => {
    const shown = toolLines(
      {
        ...tool,
        owner: "payments",
        slo: { p99Ms: 500, successRate: 0.995 },
        dependencies: [{ name: "shop", p99Ms: 300, concurrent: 4 }, { name: "bank" }],
        limits: { argumentBytes: 2048, callsPerMinute: 60 },
      },
      0,
    );
    expect(shown).toEqual(
      expect.arrayContaining([
        "owner     payments",
        "slo       99 of 100 calls within 500 ms, 99.5 % succeed",
        "needs     shop, p99 300 ms, 4 calls at once",
        "needs     bank",
        "limits    arguments of 2048 bytes, 60 calls a minute in each worker",
      ]),
    );
  });

  it("shows nothing of this if the definition says nothing", () => {
    expect(toolLines(tool, 0).join("\n")).not.toMatch(/^(owner|slo|needs|limits) /m);
  });
});
