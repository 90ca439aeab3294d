import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, expectRefusal, jsonOf } from "./testing/cli-under-test.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

const MEMORY = path.resolve(
  import.meta.dirname,
  "../../services/tool-executor/node_modules/@modelcontextprotocol/server-memory/dist/index.js",
);
const REGISTER = `mcp_register_server ${JSON.stringify({ server_name: "Memory", command: process.execPath, arguments: [MEMORY] })}`;
/** Services read their key files every 2 s. */
const PATIENCE = { timeout: 15_000, interval: 100 };

describe("a server that an agent asks to register", () => {
  let cli: CliUnderTest;
  let files: Scratch;
  beforeAll(async () => {
    files = scratch();
    const config = files.file("mcp.json", JSON.stringify({ mcpServers: {} }));
    cli = await cliUnderTest({ MCP_CONFIG_FILE: config, MCP_REGISTER_SERVERS: "unsandboxed" });
  });
  afterAll(async () => {
    await cli.stop();
    files.remove();
  });

  it("is started only after two people have approved it, and its tools then wait for an operator", async () => {
    await using chat = cli.shell(`toolbus chat '${REGISTER}'`);
    const [, approvalId = ""] = await chat.says(/approvals approve (ap_\S+)/);
    const card = (await cli.run(["approvals", "show", approvalId])).stdout;
    expect(card).toMatch(/critical/);
    // A long word is broken where the frame of the card ends.
    expect(card.replaceAll(/\n│ +/g, "")).toContain(MEMORY);
    const bo = { TOOLBUS_APPROVER_KEY: String((await jsonOf(cli, ["keys", "add", "bo", "--role", "approver", "--show"]))["key"]) };
    const approve = (env = {}) => cli.run(["approvals", "approve", approvalId, "--ticket", "OPS-1", "--yes"], { env });
    expect(await approve()).toMatchObject({ code: 0, stdout: expect.stringContaining("1 of 2 approvers") });
    expectRefusal(await approve(), 4, /may not decide .*already/);
    expect((await cli.run(["mcp", "list"])).stdout).not.toContain("Memory");
    await expect
      .poll(async () => (await cli.run(["approvals", "show", approvalId], { env: bo })).stdout, PATIENCE)
      .toMatch(/^status +pending/m);
    expect(await approve(bo)).toMatchObject({ code: 0 });
    expect(await chat.ended()).toMatchObject({ code: 0, stdout: expect.stringContaining("mcp_register_server answered") });
    await expect.poll(async () => (await cli.run(["mcp", "list"])).stdout, PATIENCE).toMatch(/^Memory +9 +9 +ready$/m);
    expect((await cli.run(["tools", "pending"])).stdout).toMatch(/^memory__create_entities +1 +mcp +high +pending/m);
  });
});
