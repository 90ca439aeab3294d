import type { ToolView } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { offeredPage, offeredTools } from "./offered-tools.ts";

const tool = (name: string, more: Partial<ToolView> = {}): ToolView =>
  ({ name, version: "1", preferred: true, toolset: "orders", source: "orders", availability: "ready", ...more }) as ToolView;
const names = (...tools: readonly ToolView[]): readonly string[] => offeredTools(tools).map(({ name, version }) => `${name}@${version}`);

describe("the tools that a client of the protocol is offered", () => {
  it("are those that the key may call and that somebody can execute, in the order of their names", () => {
    expect(
      names(
        tool("pay_order"),
        tool("find_order"),
        tool("of_others", { forbidden: "Your key may not." }),
        tool("refused", { quarantined: { pointer: "/parameters", reason: "It is endless." } }),
        tool("down", { availability: "unavailable" }),
        tool("asleep", { availability: "asleep" }),
        tool("scaled_to_zero", { availability: "asleep", scalesToZero: true }),
      ),
    ).toEqual(["find_order@1", "pay_order@1", "scaled_to_zero@1"]);
  });

  it("are one version of each name, the one that new runs get", () => {
    const second = tool("find_order", { version: "2", preferred: true });
    expect(names(tool("find_order", { preferred: false }), second)).toEqual(["find_order@2"]);
    expect(names(second, tool("find_order", { preferred: false }))).toEqual(["find_order@2"]);
    expect(names(tool("find_order", { preferred: false }), { ...second, availability: "asleep" })).toEqual(["find_order@1"]);
  });

  it("are without the bridge's tool that calls others by name, but with a foreign tool of this name", () => {
    expect(names(tool("mcp_invoke_tool", { toolset: "mcp", source: "mcp" }))).toEqual([]);
    expect(names(tool("mcp_invoke_tool", { toolset: "mcp", source: "mcp:wiki" }))).toEqual(["mcp_invoke_tool@1"]);
  });

  it("come in pages, and a cursor that no page gave has no page", () => {
    const all = Array.from({ length: 201 }, (_, n) => tool(`tool_${String(n).padStart(3, "0")}`));
    const first = offeredPage(all, undefined);
    expect([first?.tools.length, offeredPage(all, first?.nextCursor)?.tools.map(({ name }) => name)]).toEqual([200, ["tool_200"]]);
    for (const cursor of ["", "x", Buffer.from("../keys").toString("base64url"), "tool_000"]) expect(offeredPage(all, cursor)).toBe(null);
  });
});
