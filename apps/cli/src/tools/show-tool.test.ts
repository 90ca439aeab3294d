import { describe, expect, it } from "vitest";
import { toolUnderTest } from "../testing/tool-under-test.ts";
import { toolLines } from "./show-tool.ts";

describe("a tool on the terminal", () => {
  it("shows who owns it, what it promises, what it depends on and its limits", () => {
    const shown = toolLines(
      {
        ...toolUnderTest,
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
    expect(toolLines(toolUnderTest, 0).join("\n")).not.toMatch(/^(owner|slo|needs|limits) /m);
  });
});
