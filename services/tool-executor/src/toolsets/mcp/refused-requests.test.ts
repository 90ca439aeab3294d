import { fileURLToPath } from "node:url";
import { ToolProblem } from "@toolbus/tool-kit";
import { createLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { textOf } from "./call-content.ts";
import { connectServer } from "./connect-server.ts";
import { foreignTool } from "./foreign-tool.ts";
import { mcpServer } from "./mcp-server.ts";
import { refusalOf } from "./refused-requests.ts";

const ASKING = fileURLToPath(new URL("asking-server.ts", import.meta.url));
const EVERYTHING = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));

describe("a server that asks its client for something", () => {
  const setup = async (...args: string[]) => {
    const address = { kind: "stdio" as const, command: process.execPath, args, env: {} };
    const server = mcpServer({
      config: { name: "s", address, policy: {}, tools: {} },
      connect: () => connectServer({ address }, { searchPath: "", cwd: "/", tokens: () => undefined }),
      log: createLog({ name: "test", level: "silent" }),
      monotonic: () => performance.now(),
      random: (bytes) => new Uint8Array(bytes),
      onChanged: () => undefined,
    });
    await server.tried;
    const signal = new AbortController().signal;
    const progress: string[] = [];
    return {
      server,
      progress,
      call: async (tool: string) => {
        const onProgress = ({ message = "" }): void => void progress.push(message);
        return textOf((await server.call({ tool, args: {}, timeoutMs: 10_000, signal, onProgress })).content);
      },
      /** Runs the tool as a write, as the worker does. */
      write: async (tool: string) => {
        const draft = {
          name: "s__tool",
          version: "1",
          description: "A tool.",
          parameters: { type: "object" },
          kind: "write",
          risk: { tier: "high" },
          idempotency: { mode: "none" },
          timeoutMs: 10_000,
          effect: "Call it.",
        } as const;
        const made = foreignTool(draft, { server, tool });
        if (made.kind !== "write") throw new Error("It is to be a write.");
        const log = createLog({ name: "test", level: "silent" });
        const report = ({ message }: { readonly message: string }): void => void progress.push(message);
        return made.run({}, { idempotencyKey: "k", signal, log, progress: report, modelUsed: () => undefined, attach: () => null });
      },
      [Symbol.asyncDispose]: () => server.stop(),
    };
  };

  it.each([
    ["ask-person", refusalOf("elicitation/create", { message: "Delete all of it?" })],
    ["ask-address", refusalOf("elicitation/create", { mode: "url" })],
    ["ask-model", refusalOf("sampling/createMessage", {})],
    ["ask-roots", refusalOf("roots/list", {})],
  ])("gets an error that says why, and viewers of the run are told (%s)", async (tool, sentence) => {
    await using t = await setup(ASKING);
    expect(JSON.parse(await t.call(tool))).toEqual({ code: -32601, message: sentence });
    expect(t.progress).toEqual([sentence]);
    expect(t.server.unavailable()).toBe(null);
  });

  it.each(["ask-person", "ask-model", "ask-roots"])(
    "in its answer, as in the protocol of 2026-07-28, fails the call and leaves the outcome of a write open (%s)",
    async (tool) => {
      await using t = await setup(ASKING, "modern");
      const problem = await t.write(tool);
      if (!(problem instanceof ToolProblem)) throw new Error("It is to be a problem.");
      expect(problem).toMatchObject({ code: "execution_failed", message: expect.stringMatching(/^The server asked /) });
      expect(problem.options).toMatchObject({ retryable: false });
      expect(problem.options.effect).toBe(undefined);
      expect(t.progress).toContain(problem.message);
      expect(t.server.unavailable()).toBe(null);
    },
  );

  it("shows no address that a server chose, and a question only in a visible and short form", () => {
    expect(refusalOf("elicitation/create", { mode: "url", message: "Go.", url: "https://evil.test" })).not.toMatch(/evil|Go\./);
    expect(refusalOf("elicitation/create", { message: `a\u202eb${"x".repeat(1000)}` })).toMatch(/^.{1,400}$/);
    expect(refusalOf("elicitation/create", { message: "a\u202eb" })).not.toContain("\u202e");
  });

  it("is not asked to: server-everything of the MCP project offers the bridge no tool that asks", async () => {
    await using t = await setup(EVERYTHING, "stdio");
    const names = t.server.catalogue()?.map(({ name }) => name) ?? [];
    expect(names).toContain("echo");
    expect(names.filter((name) => /sampling|elicitation|roots/.test(name))).toEqual([]);
  });
});
