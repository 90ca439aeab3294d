import { describe, expect, it } from "vitest";
import { completed } from "../testing/agent-under-test.ts";
import { setup, START, textIn } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const DELETE = { method: "DELETE" } as const;

describe("DELETE /v1/conversations/{id}", () => {
  it("hides the conversation, which accepts no message, and gives a repeat the same answer", async () => {
    await using t = await setup();
    const id = await t.conversation("una");
    const first = await t.ask("una", `/v1/conversations/${id}`, DELETE);
    expect(first).toMatchObject({ status: 200, body: { conversationId: id, deletedAt: START } });
    expect(first.body["kept"]).toEqual([
      { what: expect.stringContaining("runs") as string, why: expect.stringContaining("31 days") as string },
      { what: expect.stringContaining("bytes") as string, why: expect.any(String) as string },
      { what: expect.stringContaining("approvals") as string, why: expect.stringContaining("prove") as string },
    ]);
    for (const path of ["", "/messages", "/context"])
      expect(problemOf(await t.ask("una", `/v1/conversations/${id}${path}`))).toMatchObject({ status: 404, code: "not_found" });
    const said = await t.ask("una", `/v1/conversations/${id}/messages`, { method: "POST", body: { content: "Hello?" } });
    expect(problemOf(said)).toMatchObject({ status: 404, code: "not_found" });
    expect((await t.ask("una", "/v1/conversations")).body).toEqual({ conversations: [] });
    t.clock.now += 60_000;
    const again = await t.ask("una", `/v1/conversations/${id}`, DELETE);
    expect(again).toMatchObject({ status: 200, body: first.body });
  });

  it("keeps the actions of its runs readable", async () => {
    await using t = await setup();
    const runId = await t.accepted("una");
    const id = await conversationOf(t, runId);
    await t.agent.take(runId);
    await t.agent.say(runId, completed);
    expect((await t.ask("una", `/v1/conversations/${id}`, DELETE)).status).toBe(200);
    expect((await t.ask("una", `/v1/runs/${runId}`)).body).toMatchObject({ status: "done" });
    expect((await t.ask("una", `/v1/runs/${runId}/history`)).status).toBe(200);
  });

  it("is refused while a run is accepted, active or waits, and names it", async () => {
    await using t = await setup();
    const runId = await t.accepted("una");
    const id = await conversationOf(t, runId);
    const busy = async () => (await t.ask("una", `/v1/conversations/${id}`, DELETE)).body;
    expect(await busy()).toMatchObject({ status: 409, code: "conversation_busy", detail: expect.stringContaining(runId) as string });
    await t.agent.take(runId);
    expect(await busy()).toMatchObject({ status: 409, code: "conversation_busy" });
    await t.agent.say(runId, completed);
    await t.agent.keep(id, { activeRun: null, queue: [{ runId: "rn_05_01JD0000000000000000000009", accepted: 1, interrupts: false }] });
    expect(await busy()).toMatchObject({ status: 409, detail: expect.stringContaining("rn_05_01JD0000000000000000000009") as string });
    await t.agent.keep(id, { activeRun: null, queue: [] });
    expect((await t.ask("una", `/v1/conversations/${id}`, DELETE)).status).toBe(200);
  });

  it("is for its owner only", async () => {
    await using t = await setup();
    const id = await t.conversation("una");
    expect(problemOf(await t.ask("otto", `/v1/conversations/${id}`, DELETE))).toMatchObject({ status: 403, code: "forbidden" });
    expect(problemOf(await t.ask("ugo", `/v1/conversations/${id}`, DELETE))).toMatchObject({ status: 404 });
    expect((await t.ask("una", `/v1/conversations/${id}`)).status).toBe(200);
  });

  it("is not undone by a repeat of the request that began the conversation", async () => {
    await using t = await setup();
    const begin = { method: "POST", body: {}, headers: { "idempotency-key": "once" } };
    const { body } = await t.ask("una", "/v1/conversations", begin);
    await t.ask("una", `/v1/conversations/${textIn(body, "conversationId")}`, DELETE);
    expect(problemOf(await t.ask("una", "/v1/conversations", begin))).toMatchObject({ status: 410, code: "expired" });
  });

  it("accepts neither a query nor an invalid id", async () => {
    await using t = await setup();
    const id = await t.conversation("una");
    expect((await t.ask("una", `/v1/conversations/${id}?force=1`, DELETE)).status).toBe(400);
    expect((await t.ask("una", "/v1/conversations/nonsense", DELETE)).status).toBe(404);
    expect((await t.ask("una", `/v1/conversations/${id}`)).status).toBe(200);
  });
});

async function conversationOf(t: Awaited<ReturnType<typeof setup>>, runId: string): Promise<string> {
  return textIn((await t.ask("una", `/v1/runs/${runId}`)).body, "conversationId");
}
