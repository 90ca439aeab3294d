import { fileURLToPath } from "node:url";
import { type Ask, type Question, type Reply, ToolProblem } from "@toolbus/tool-kit";
import { createLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { textOf } from "./call-content.ts";
import { connectServer } from "./connect-server.ts";
import { foreignTool } from "./foreign-tool.ts";
import { mcpServer } from "./mcp-server.ts";
import { refusalOf, severalCalls } from "./refused-requests.ts";

const ASKING = fileURLToPath(new URL("../../testing/asking-server.ts", import.meta.url));
const EVERYTHING = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));

describe("a server that asks its client for something", () => {
  const setup = async (args: readonly string[], reply: Reply = { action: "cancel", reason: "Nobody answered." }) => {
    const address = { kind: "stdio" as const, command: process.execPath, args: [...args], env: {} };
    const questions: Question[] = [];
    const ask: Ask = async ({ signal: _, ...question }) => (questions.push(question), reply);
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
      questions,
      call: async (tool: string) => {
        const onProgress = ({ message = "" }): void => void progress.push(message);
        return textOf((await server.call({ tool, args: {}, timeoutMs: 10_000, signal, ask, onProgress })).content);
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
        return made.run({}, { idempotencyKey: "k", signal, log, progress: report, modelUsed: () => undefined, attach: () => null, ask });
      },
      [Symbol.asyncDispose]: () => server.stop(),
    };
  };

  const FORM = { type: "object", properties: { sure: { type: "boolean" } } };
  const ERAS = [
    ["2025-11-25", []],
    ["2026-07-28", ["modern"]],
  ] as const;

  describe.each(ERAS)("a form, in the protocol of %s,", (_, era) => {
    it.each([
      [
        { action: "accept", content: { sure: true } },
        { action: "accept", content: { sure: true } },
      ],
      [{ action: "decline", reason: "No." }, { action: "decline" }],
      [{ action: "cancel", reason: "Nobody answered." }, { action: "cancel" }],
    ] as const)("is a question to the person, and the server gets the reply (%o)", async (reply, sent) => {
      await using t = await setup([ASKING, ...era], reply);
      expect(JSON.parse(await t.call("ask-person"))).toEqual(sent);
      expect(t.questions).toEqual([{ message: "Delete all of it?", form: FORM }]);
      expect(t.server.unavailable()).toBe(null);
    });

    it("that is an address is declined, and nobody is asked", async () => {
      await using t = await setup([ASKING, ...era], { action: "accept", content: {} });
      expect(JSON.parse(await t.call("ask-address"))).toEqual({ action: "decline" });
      expect(t.questions).toEqual([]);
      expect(t.progress).toContain(refusalOf("elicitation/create", "url"));
      expect(t.progress.join()).not.toMatch(/evil/);
    });
  });

  it.each([
    ["ask-model", refusalOf("sampling/createMessage")],
    ["ask-roots", refusalOf("roots/list")],
  ])("gets an error that says why, and viewers of the run are told (%s)", async (tool, sentence) => {
    await using t = await setup([ASKING]);
    expect(JSON.parse(await t.call(tool))).toEqual({ code: -32601, message: sentence });
    expect(t.progress).toEqual([sentence]);
    expect(t.server.unavailable()).toBe(null);
  });

  it.each(["ask-model", "ask-roots"])(
    "in its answer, as in the protocol of 2026-07-28, fails the call and leaves the outcome of a write open (%s)",
    async (tool) => {
      await using t = await setup([ASKING, "modern"]);
      const problem = await t.write(tool);
      if (!(problem instanceof ToolProblem)) throw new Error("It is to be a problem.");
      expect(problem).toMatchObject({ code: "execution_failed", message: expect.stringMatching(/^The server asked /) });
      expect(problem.options).toMatchObject({ retryable: false });
      expect(problem.options.effect).toBe(undefined);
      expect(t.progress).toContain(problem.message);
      expect(t.server.unavailable()).toBe(null);
    },
  );

  it("during several calls of the older protocol is declined, because nobody knows whom to ask", async () => {
    await using t = await setup([ASKING], { action: "accept", content: {} });
    const waiting = t.call("wait");
    expect(JSON.parse(await t.call("ask-person"))).toEqual({ action: "decline" });
    expect(t.questions).toEqual([]);
    expect(t.progress).toContain(severalCalls);
    expect(await waiting).toBe("waited");
  });

  it("is offered forms: server-everything of the MCP project offers its tool that asks, but none for addresses, models or folders", async () => {
    await using t = await setup([EVERYTHING, "stdio"], { action: "accept", content: { name: "Una", integer: 7 } });
    const names = t.server.catalogue()?.map(({ name }) => name) ?? [];
    expect(names.filter((name) => /sampling|elicitation|roots/.test(name))).toEqual(["trigger-elicitation-request"]);
    expect(await t.call("trigger-elicitation-request")).toMatch(/Una/);
    expect(t.questions).toMatchObject([{ message: "Please provide inputs for the following fields:" }]);
  });
});
