import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import type { ContextView, ConversationView, MessagePage, RunView } from "@toolbus/contracts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, follow } from "./testing/http-client.ts";

const ASK = 'ask_user {"question": "Which release do you mean?", "options": ["v1", "v2"]}';

describe("a conversation over HTTP", () => {
  let directory = "";
  let system: AllInOne;
  const start = () =>
    startAllInOne({
      directory,
      env: { GATEWAY_PORT: "0", APPROVALS_PORT: "0", LOG_LEVEL: "silent", RELEASE_API_URL: "http://127.0.0.1:9" },
    });
  const ask = async <T>(url: string, body?: object): Promise<T> => {
    const answer = await call(system.gatewayUrl + url, system.keys.user, body);
    if (answer.status >= 400) throw new Error(`${url} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  };
  const converse = async (): Promise<string> => (await ask<ConversationView>("/v1/conversations", { profile: "direct" })).conversationId;
  const say = (conversationId: string, text: string, ifActive?: string) =>
    ask<RunView>(`/v1/conversations/${conversationId}/messages`, { text, ...(ifActive ? { ifActive } : {}) });
  const events = (runId: string, until?: string) =>
    follow({ gateway: system.gatewayUrl, user: system.keys.user }, runId, until ? (event) => event.type === until : undefined);

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "toolbus-conversation-"));
    system = await start();
  });
  afterEach(async () => {
    await system.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it("asks the person, keeps the question and the waiting messages across a restart, and continues with the answer", async () => {
    const conversationId = await converse();
    const { runId } = await say(conversationId, ASK);
    await events(runId, "call.asked");
    const callId = `${runId}.1.0`;
    expect(await ask<RunView>(`/v1/runs/${runId}`)).toMatchObject({
      status: "awaiting_answer",
      awaiting: [{ kind: "answer", callId, question: "Which release do you mean?", options: ["v1", "v2"] }],
    });
    const second = await say(conversationId, "What can you do?");
    await events(second.runId, "run.queued");
    expect(await ask<ConversationView>(`/v1/conversations/${conversationId}`)).toMatchObject({ activeRun: runId, queued: [second.runId] });

    await system.stop();
    system = await start();
    await ask(`/v1/runs/${runId}/answers`, { callId, text: "v2, please" });
    expect((await events(runId)).at(-1)).toMatchObject({ type: "run.completed", text: expect.stringContaining("v2, please") });
    expect((await events(second.runId)).at(-1)).toMatchObject({ type: "run.completed" });

    const { messages } = await ask<MessagePage>(`/v1/conversations/${conversationId}/messages`);
    expect(messages.map(({ role, runId: of }) => [role, of])).toEqual([
      ["user", runId],
      ["assistant", runId],
      ["tool", runId],
      ["assistant", runId],
      ["user", second.runId],
      ["assistant", second.runId],
    ]);
    expect(await ask<ContextView>(`/v1/conversations/${conversationId}/context`)).toMatchObject({
      messages: 6,
      runs: 2,
      usage: { modelCalls: 3, toolCalls: 1 },
      provider: "offline",
    });
  });

  it("lets a message that interrupts cancel the active run, and start in its place", async () => {
    const conversationId = await converse();
    const first = await say(conversationId, ASK);
    await events(first.runId, "call.asked");
    const waiting = await say(conversationId, "And this.");
    const urgent = await say(conversationId, "Leave it.", "interrupt");
    expect((await events(first.runId)).at(-1)).toMatchObject({ type: "run.cancelled", by: "user:local" });
    expect((await events(urgent.runId)).at(-1)?.type).toBe("run.completed");
    expect((await events(waiting.runId)).at(-1)?.type).toBe("run.completed");
    const { messages } = await ask<MessagePage>(`/v1/conversations/${conversationId}/messages`);
    expect(messages.flatMap(({ role, content }) => (role === "user" ? [content] : []))).toEqual([ASK, "Leave it.", "And this."]);
  });

  it("refuses a message that must not wait while a run is active", async () => {
    const conversationId = await converse();
    const { runId } = await say(conversationId, ASK);
    await events(runId, "call.asked");
    const url = `${system.gatewayUrl}/v1/conversations/${conversationId}/messages`;
    const refused = await call(url, system.keys.user, { text: "Now!", ifActive: "reject" });
    expect(refused).toMatchObject({ status: 409, body: { type: "urn:toolbus:problem:conversation_busy" } });
  });
});
