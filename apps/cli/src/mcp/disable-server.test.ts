import type { WriteState } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { sendJson, sendProblem, serverUnderTest } from "../testing/server-under-test.ts";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";
import { runCommandLine } from "../toolbus/program.ts";

const SHARED = {
  version: "1",
  hash: "sha256-one",
  tier: "high",
  granted: false,
  weaker: null,
  receiptKeys: [],
  receiptKeysFrom: "registration",
  registeredAt: 0,
  lastSeenAt: 0,
} as const;

/** Serves approvals with a write of each state of the server "wiki", one of the server "crm", and one that no server has. */
async function serving() {
  const row = (tool: string, state: WriteState, { source = "mcp:wiki", toolset = "mcp" } = {}) => ({
    summary: { ...SHARED, tool, toolset, state, enabled: null },
    definition: {
      name: tool,
      version: "1",
      description: "Writes a page.",
      parameters: { type: "object" },
      kind: "write",
      risk: { tier: "high" },
      idempotency: { mode: "none" },
      timeoutMs: 1000,
      source,
    },
  });
  const rows = [
    row("wiki__delete_page", "enabled"),
    row("wiki__move_page", "changed"),
    row("wiki__lock_page", "superseded"),
    row("wiki__mark_page", "damaged"),
    row("wiki__new_page", "pending"),
    row("wiki__old_page", "disabled"),
    row("crm__close_ticket", "enabled", { source: "mcp:crm" }),
    // A toolset of its own cannot take part in the server's name.
    row("wiki_refund", "enabled", { toolset: "orders", source: "mcp:wiki" }),
  ];
  const posted: string[] = [];
  const server = await serverUnderTest((request, response) => {
    const [, tool, act] = /^\/v1\/writes\/(\w+)(\/\w+)?$/.exec(request.url ?? "") ?? [];
    const found = rows.find(({ summary }) => summary.tool === tool);
    if (request.url === "/v1/writes") return sendJson(response, { writes: rows.map(({ summary }) => summary) });
    if (!found) return sendProblem(response, 404, { code: "not_found", detail: "There is no such thing." });
    if (act !== undefined) posted.push(`${tool}${act}`);
    const { enabled: _, ...summary } = found.summary;
    return sendJson(response, {
      tool,
      enabled: null,
      damaged: null,
      registered: [{ ...summary, definition: found.definition, changes: [] }],
    });
  });
  const env = { TOOLBUS_URL: server.url, TOOLBUS_APPROVALS_URL: server.url, TOOLBUS_KEY: "a", TOOLBUS_APPROVER_KEY: "b" };
  return {
    posted,
    async disable(...words: readonly string[]) {
      const { around, said } = surroundingsUnderTest(env);
      const code = await runCommandLine(["mcp", "disable", ...words], around);
      return { code, ...said() };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe("toolbus mcp disable", () => {
  it("switches off every write of the server of which a version is enabled, and no other write", async () => {
    await using approvals = await serving();
    const { code, out } = await approvals.disable("Wiki", "--json");
    const off = ["wiki__delete_page", "wiki__move_page", "wiki__lock_page", "wiki__mark_page"];
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ disabled: off });
    expect(approvals.posted).toEqual(off.map((tool) => `${tool}/disable`));
  });

  it("does not ask first without a terminal, and says that existing grants live on for minutes", async () => {
    await using approvals = await serving();
    const { out } = await approvals.disable("crm");
    expect(out).toBe("crm__close_ticket is switched off: no version of it gets grants.\nExisting grants expire within minutes.\n");
  });

  it("names the servers that there are if the server has no write", async () => {
    await using approvals = await serving();
    await expect(approvals.disable("wikis")).rejects.toMatchObject({
      message: 'No write of an MCP server "wikis" is registered. There are writes of: wiki, crm.',
    });
    expect(approvals.posted).toEqual([]);
  });
});
