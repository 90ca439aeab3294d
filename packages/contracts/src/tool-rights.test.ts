import { describe, expect, it } from "vitest";
import { rightsFault, toolEntryFault } from "./tool-rights.ts";

const tool = { name: "issue_refund", toolset: "orders", scopes: ["orders:write", "refunds"] } as const;

describe("the right to use a tool", () => {
  it("needs all of its scopes, and says which are missing", () => {
    expect(rightsFault({ scopes: ["refunds", "orders:write", "more"] }, tool)).toBeNull();
    expect(rightsFault({ scopes: [] }, { name: "look", toolset: "orders" })).toBeNull();
    expect(rightsFault({ scopes: ["refunds"] }, tool)).toBe('The requester lacks the scope "orders:write" that "issue_refund" requires.');
    expect(rightsFault({ scopes: ["orders:*", "REFUNDS"] }, tool)).toContain('"orders:write", "refunds"');
  });

  it("needs a key that names the tool or its toolset, if the key names any", () => {
    const { scopes } = tool;
    for (const tools of [undefined, ["orders"], ["orders/issue_refund"], ["web", "orders/issue_refund"]])
      expect(rightsFault({ scopes, tools }, tool)).toBeNull();
    for (const tools of [[], ["web"], ["orders/look"], ["issue_refund"], ["web/issue_refund"], ["order"], ["orders/"]])
      expect(rightsFault({ scopes, tools }, tool)).toBe('The requester\'s key may not use "issue_refund" of the toolset "orders".');
  });
});

describe("an entry of a key's tools", () => {
  it.each(["release", "release/get_release_summary", "my-tools_2/look"])("may be %s", (entry) => {
    expect(toolEntryFault(entry)).toBeNull();
  });

  it.each([
    "",
    "toolset:release",
    "release/*",
    "release/",
    "/look",
    "release/get/x",
    "release tools",
    "release/Look",
    "look@1",
    " release",
  ])("that is %j is refused with what to write", (entry) => {
    expect(toolEntryFault(entry)).toBe(
      `"${entry}" does not name tools: write a toolset, such as "release", or a tool of one, such as "release/get_release_summary".`,
    );
  });
});
