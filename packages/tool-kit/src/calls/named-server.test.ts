import { attributes } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { bench } from "../testing/bench.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolset } from "../tool/toolset.ts";

const parameters = { type: "object", properties: {}, additionalProperties: false };

/** Delivers a call of a tool with this source and these headers. Returns the answer, and how often the tool ran. */
async function called(source: string, headers: Readonly<Record<string, string>>, kind: "read" | "write" = "read") {
  let runs = 0;
  const common = { name: "look_up", description: "Looks up.", parameters, source };
  const run = () => ({ run: ++runs });
  const tool =
    kind === "read"
      ? defineTool({ ...common, kind, run })
      : defineTool({ ...common, kind, idempotency: { mode: "none" }, effect: "Looks up.", prepare: () => ({}), run });
  const { process, invoke } = bench(toolset({ name: "mcp", tools: [tool] }));
  const worker = process();
  const sent = await invoke("look_up", {});
  await worker.deliver({ ...sent, attributes: { ...sent.attributes, ...headers } });
  return { result: worker.read()[0]?.result, runs };
}

describe("the header that names the MCP server of a call", () => {
  it.each([attributes.mcpServer, attributes.mcpServerAlias])(
    "is accepted as %s if it names the server of the tool, in any case",
    async (header) => {
      expect(await called("mcp:Memory", { [header]: "memory" })).toMatchObject({ result: { status: "ok" }, runs: 1 });
    },
  );

  it("may be left out", async () => {
    expect(await called("mcp:Memory", {})).toMatchObject({ result: { status: "ok" }, runs: 1 });
  });

  it.each([
    ["a read", "read", attributes.mcpServer],
    ["a read", "read", attributes.mcpServerAlias],
    ["a write with a grant", "write", attributes.mcpServer],
  ] as const)("refuses the call of %s (%s) if %s names another server, and nothing runs", async (_, kind, header) => {
    expect(await called("mcp:Memory", { [header]: "wiki" }, kind)).toMatchObject({
      result: {
        error: {
          code: "invalid_arguments",
          message: `The header ${header} names "wiki", but the tool "look_up" belongs to the MCP server "Memory": correct the header, or leave it out.`,
        },
      },
      runs: 0,
    });
  });

  it("refuses the call if only one of its two names is right", async () => {
    const both = { [attributes.mcpServer]: "memory", [attributes.mcpServerAlias]: "wiki" };
    expect(await called("mcp:Memory", both)).toMatchObject({ result: { error: { code: "invalid_arguments" } }, runs: 0 });
  });

  it("refuses the call of a tool that belongs to no MCP server", async () => {
    expect(await called("orders", { [attributes.mcpServer]: "memory" })).toMatchObject({
      result: { error: { message: expect.stringContaining("belongs to no MCP server") } },
      runs: 0,
    });
  });
});
