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

const ENABLED = {
  toolset: "mcp",
  version: "1",
  hash: "sha256-one",
  tier: "high",
  enabled: true,
  pinnedAt: 0,
  pinnedBy: "op",
  receiptKeys: [],
} as const;

/** Serves approvals with a write of each state of the server "Wiki", and one of the server "crm". */
async function serving() {
  const row = (tool: string, state: WriteState, enabled: boolean | null, server = "Wiki") => ({
    ...SHARED,
    tool,
    toolset: "mcp",
    state,
    server,
    enabled: enabled === null ? null : { ...ENABLED, enabled },
    changes: [],
    definition: {
      name: tool,
      version: "1",
      description: "Writes a page.",
      parameters: { type: "object" },
      kind: "write",
      risk: { tier: "high" },
      idempotency: { mode: "none" },
      timeoutMs: 1000,
      source: `mcp:${server}`,
    },
  });
  const rows = [
    row("wiki__delete_page", "enabled", true),
    row("wiki__move_page", "changed", true),
    row("wiki__lock_page", "superseded", true),
    // Approvals does not believe a damaged document, so this write gets no grants already.
    row("wiki__mark_page", "damaged", null),
    row("wiki__new_page", "pending", null),
    row("wiki__old_page", "disabled", false),
    row("crm__close_ticket", "enabled", true, "crm"),
  ];
  const posted: string[] = [];
  const server = await serverUnderTest((request, response) => {
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    const [, tool, act] = /^\/v1\/writes\/(\w+)(\/\w+)?$/.exec(url.pathname) ?? [];
    const asked = url.searchParams.get("server")?.toLowerCase();
    if (url.pathname === "/v1/writes")
      return sendJson(response, { writes: rows.filter((one) => asked === undefined || one.server.toLowerCase() === asked) });
    const found = rows.find((one) => one.tool === tool);
    if (!found) return sendProblem(response, 404, { code: "not_found", detail: "There is no such thing." });
    if (act !== undefined) posted.push(`${tool}${act}`);
    const { enabled: _, server: __, ...registered } = found;
    return sendJson(response, { tool, enabled: null, damaged: null, registered: [registered] });
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
    const off = ["wiki__delete_page", "wiki__move_page", "wiki__lock_page"];
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
      message: 'No write of an MCP server "wikis" is registered. There are writes of: Wiki, crm.',
    });
    expect(approvals.posted).toEqual([]);
  });
});
