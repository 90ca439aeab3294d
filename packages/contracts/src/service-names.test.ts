import { describe, expect, it } from "vitest";
import { findService, findTool, serviceIdOf } from "./index.ts";

const services = ["mcp:My Server", "mcp:orders", "toolset:orders", "toolset:release"].map((id) => ({ id }));
const tools = ["my_server__get_sum", "my_server__read_graph", "my_server__readgraph"].map((name) => ({ definition: { name } }));

describe("a service", () => {
  it("is the MCP server of a foreign tool, or else the toolset", () => {
    expect(serviceIdOf({ toolset: "mcp", definition: { source: "mcp:My Server" } })).toBe("mcp:My Server");
    expect(serviceIdOf({ toolset: "release", definition: { source: "release" } })).toBe("toolset:release");
  });

  it.each([
    ["MCP:my server", "mcp:My Server"],
    [" My Server ", "mcp:My Server"],
    ["my_server", "mcp:My Server"],
    ["mcp:my-server", "mcp:My Server"],
    ["Orders", "mcp:orders"],
    ["toolset:orders", "toolset:orders"],
    ["RELEASE", "toolset:release"],
    ["wiki", undefined],
    ["", undefined],
    ["--", undefined],
  ])("is found by the name %j as %j", (name, id) => expect(findService(services, name)?.id).toBe(id));
});

describe("a tool of a service", () => {
  it.each([
    ["my_server__get_sum", "my_server__get_sum"],
    ["Get-Sum", "my_server__get_sum"],
    ["getSum", "my_server__get_sum"],
    ["read_graph", "my_server__read_graph"],
    ["sum", undefined],
    ["", undefined],
  ])("is found by the name %j as %j", (name, found) => expect(findTool({ tools }, name)?.definition.name).toBe(found));

  it("is not guessed if two names differ only in their separators", () => {
    expect(findTool({ tools }, "read graph")).toBeUndefined();
  });
});
