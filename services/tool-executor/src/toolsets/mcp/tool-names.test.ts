import { serverPart } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { mapNames, typedName } from "./tool-names.ts";

describe("the typed name of an MCP server's tool", () => {
  it.each([
    ["everything", "get-sum", "everything__get_sum"],
    ["My Server", "getTinyImage", "my_server__get_tiny_image"],
    ["files", "read__all...files", "files__read_all_files"],
    ["1password", "List", "mcp_1password__list"],
    ["a", "日本", "a__tool"],
  ])("is server and tool in snake case: %s, %s", (server, tool, typed) => {
    expect(typedName(server, tool)).toBe(typed);
  });

  it("has 64 characters at most, and long names that differ at their end stay different", () => {
    const [one, two] = ["x", "y"].map((end) => typedName("server", `${"long-".repeat(30)}${end}`));
    expect([one?.length, two?.length]).toEqual([64, 64]);
    expect(one).not.toBe(two);
    expect(one).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
  });

  it("is refused for all tools of a server that would share it", () => {
    const { named, refused } = mapNames("s", ["get-sum", "get_sum", "echo"]);
    expect([...named]).toEqual([["s__echo", "echo"]]);
    expect(refused).toEqual([["s__get_sum", ["get-sum", "get_sum"]]]);
  });

  it("is the same for two servers whose names differ in case or punctuation only", () => {
    expect(serverPart("My-Files")).toBe(serverPart("my files"));
  });
});
