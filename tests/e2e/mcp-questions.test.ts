import path from "node:path";
import type { NumberedRunEvent, RunView } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { inMemory } from "./testing/dead-letter-places.ts";
import { call } from "./testing/http-client.ts";
import { startMcpSystem } from "./testing/mcp-system.ts";
import { replayed } from "./testing/replayed.ts";

const MODULES = path.resolve(import.meta.dirname, "../../services/tool-executor/node_modules/@modelcontextprotocol");
const TOOL = "everything__trigger_elicitation_request";

/** Starts a system with server-everything of the MCP project, and a run whose tool asks the person. */
async function asking() {
  await using begun = new AsyncDisposableStack();
  const everything = { command: process.execPath, args: [path.join(MODULES, "server-everything/dist/index.js"), "stdio"] };
  const system = begun.use(await startMcpSystem(inMemory, { everything }));
  const { gateway, keys } = system;
  await system.answer("everything__echo", { message: "here" });
  const runId = await system.begin(TOOL, {});
  const question = (await system.sees(runId, "question.asked")) as Extract<NumberedRunEvent, { type: "question.asked" }>;
  const url = `${gateway}/v1/runs/${runId}`;
  const { callId, questionId } = question;
  const open = begun.move();
  return {
    system,
    runId,
    question,
    view: async () => (await call(url, keys.user)).body as RunView,
    history: async () => ((await call(`${url}/history`, keys.user)).body as { readonly events: readonly NumberedRunEvent[] }).events,
    answer: (part: object, key = keys.user) => call(`${url}/question-answers`, key, { callId, questionId, ...part }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

describe("a question of an MCP server", () => {
  it("reaches the person with the name of the server, the server gets the first answer, once and from nobody else, and a replay is byte-equal", async () => {
    await using t = await asking();
    expect(t.question).toMatchObject({
      tool: TOOL,
      from: "mcp:everything",
      untrusted: true,
      message: expect.stringContaining("provide inputs"),
    });
    expect(await t.view()).toMatchObject({
      status: "awaiting_answer",
      awaiting: [{ kind: "question", from: "mcp:everything", untrusted: true }],
    });
    const refused = await t.answer({ action: "accept", content: { name: "Una", integer: 1000 } });
    expect([refused.status, refused.body]).toMatchObject([400, { errors: [{ path: "/content/integer" }] }]);
    expect((await t.answer({ action: "accept", content: { name: "Olga" } }, t.system.keys.operator)).status).toBe(403);
    expect((await t.answer({ action: "accept", content: { name: "Una", integer: 7 } })).status).toBe(202);
    const second = await t.answer({ action: "accept", content: { name: "Ugo" } });
    expect([second.status, second.body]).toMatchObject([409, { code: "not_asked" }]);
    const [result] = await t.system.results(t.runId);
    expect(result).toMatchObject({ status: "ok", content: expect.stringContaining("Una") });
    expect(result?.content).not.toMatch(/Ugo|Olga/);
    const events = await t.history();
    const ofQuestion = events.filter(({ type }) => type.startsWith("question."));
    expect(ofQuestion).toMatchObject([{ type: "question.asked" }, { type: "question.ended", outcome: "accepted" }]);
    expect(JSON.stringify(ofQuestion)).not.toContain("Una");
    expect(await t.view()).toMatchObject({ status: "done", awaiting: [] });
    const { events: recorded } = await replayed(t.system.gateway, t.system.keys.operator, t.runId);
    expect(recorded.find(({ type }) => type === "question.asked")).toHaveProperty("form");
  });

  it("is declined for the server if the person declines", async () => {
    await using t = await asking();
    expect((await t.answer({ action: "decline" })).status).toBe(202);
    expect((await t.system.results(t.runId))[0]?.content).toMatch(/declin/i);
    await replayed(t.system.gateway, t.system.keys.operator, t.runId);
  });
});
