import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import type { ReleaseApi } from "@toolbus/example-release-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { approve, call } from "./testing/http-client.ts";
import { oneRelease, RELEASE } from "./testing/model-system.ts";
import { replayed } from "./testing/replayed.ts";

const READ = { name: "get_release_summary", arguments: { release_id: RELEASE } };
const WRITE = { name: "file_risk_report", arguments: { release_id: RELEASE, severity: "high", findings: ["Two reviewers are missing."] } };

/** The negotiation of the client of the SDK, and the version of the protocol that it then speaks. */
const ERAS = [
  ["the older protocol", "2025-11-25", undefined],
  ["the newer protocol", "2026-07-28", { mode: "auto" }],
] as const;

/** The ways to reach the server: over HTTP, and over standard input and output of a process of the command line. */
const WAYS = ["/mcp", "toolbus mcp serve"] as const;
type Way = (typeof WAYS)[number];

describe("the gateway as an MCP server", () => {
  let directory = "";
  let api: ReleaseApi;
  let system: AllInOne;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "toolbus-mcp-"));
    api = await oneRelease(path.join(directory, "api"));
    const ports = { GATEWAY_PORT: "0", APPROVALS_PORT: "0" };
    system = await startAllInOne({
      directory: path.join(directory, "state"),
      env: {
        ...ports,
        LOG_LEVEL: "silent",
        RELEASE_API_URL: api.url,
        LLM_PROVIDER: "ollama",
        LLM_MODEL: "qwen3",
        OLLAMA_HOST: "127.0.0.1:9",
      },
    });
  });
  afterAll(async () => {
    await system.stop();
    await api.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function connected(way: Way, versionNegotiation?: { readonly mode: "auto" }) {
    const client = new Client({ name: "the-test", version: "1" }, versionNegotiation ? { versionNegotiation } : {});
    await client.connect(way === "/mcp" ? overHttp() : overStdio());
    return { client, [Symbol.asyncDispose]: () => client.close() };
  }

  function overHttp() {
    const headers = { authorization: `Bearer ${system.keys.user}` };
    return new StreamableHTTPClientTransport(new URL("/mcp", system.gatewayUrl), { requestInit: { headers } });
  }

  function overStdio() {
    const env = { PATH: process.env["PATH"] ?? "", TOOLBUS_URL: system.gatewayUrl, DATA_DIR: path.join(directory, "state") };
    return new StdioClientTransport({ command: process.execPath, args: [TOOLBUS, "mcp", "serve"], env, stderr: "ignore" });
  }

  for (const [way, words, version, negotiation] of WAYS.flatMap((one) => ERAS.map((era) => [one, ...era] as const)))
    describe(`at ${way}, to the client of the SDK with ${words}`, () => {
      it("lists the tools that the key may call, with what they do", async () => {
        await using c = await connected(way, negotiation);
        expect(c.client.getNegotiatedProtocolVersion()).toBe(version);
        const { tools } = await c.client.listTools();
        expect(tools.map(({ name }) => name)).toEqual([
          "toolbus_get_call",
          "file_risk_report",
          "get_code_changes",
          "get_past_releases",
          "get_release_summary",
          "get_test_details",
          "get_traces",
        ]);
        expect(tools.find(({ name }) => name === READ.name)).toMatchObject({
          inputSchema: { type: "object", required: ["release_id"] },
          annotations: { readOnlyHint: true },
        });
        expect(tools.find(({ name }) => name === WRITE.name)).toMatchObject({
          annotations: { readOnlyHint: false, destructiveHint: true },
        });
      });

      it("answers a read, in a run that asks no model", async () => {
        await using c = await connected(way, negotiation);
        const answer = await c.client.callTool(READ);
        expect(answer).toMatchObject({ structuredContent: { release_id: RELEASE }, _meta: { "toolbus/status": "ok" } });
        expect(answer.isError).toBeUndefined();
        const handle = String(answer._meta?.["toolbus/handle"]);
        const { body } = await call(`${system.gatewayUrl}/v1/runs/${handle}`, system.keys.user);
        expect(body).toMatchObject({ profile: "mcp:call", usage: { modelCalls: 0, toolCalls: 1, inputTokens: 0, outputTokens: 0 } });
        await replayed(system.gatewayUrl, system.keys.operator, handle);
      });

      it("answers that a write waits, and gives its result when a person has approved it", async () => {
        await using c = await connected(way, negotiation);
        const before = api.reports().length;
        const waiting = await c.client.callTool(WRITE);
        expect(waiting.isError).toBeUndefined();
        expect(waiting.structuredContent).toMatchObject({ status: "waiting", waitsFor: "approval", approvalId: expect.any(String) });
        const { handle, approvalId } = waiting.structuredContent as { handle: string; approvalId: string };
        const asking = { name: "toolbus_get_call", arguments: { handle } };
        expect((await c.client.callTool(asking)).structuredContent).toMatchObject({ status: "waiting", handle });
        expect(api.reports()).toHaveLength(before);
        const card = await call(`${system.approvalsUrl}/v1/approvals/${approvalId}`, system.keys.approver);
        expect(card.body).toMatchObject({
          taint: { sources: [{ passage: expect.stringContaining("Toolbus does not know what its model has read") }] },
        });
        await approve({ approvals: system.approvalsUrl, approver: system.keys.approver }, approvalId);
        const done = await c.client.callTool({ ...asking, arguments: { handle, wait_seconds: 20 } });
        expect(done).toMatchObject({ structuredContent: { report_id: expect.any(String) }, _meta: { "toolbus/status": "ok" } });
        const { events } = await replayed(system.gatewayUrl, system.keys.operator, handle);
        expect(events.map(({ type }) => type)).toContain("call.decided");
        expect(api.reports()).toHaveLength(before + 1);
      });
    });
});
