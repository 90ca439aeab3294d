import { type JsonObject, keys, shardOf } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { cancelEntryId } from "../entry-ids.ts";
import { completed, started } from "../testing/agent-under-test.ts";
import { apiKeyOf, type Options, setup as setupGateway, until } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";
import { openViewer, type Viewer } from "../testing/viewer-under-test.ts";

describe("the stream that a POST opens", () => {
  it.each([
    { url: async (t: T) => `/v1/conversations/${await t.conversation()}/messages`, body: { text: "Hello." } },
    { url: async () => "/v1/investigations", body: { releaseId: "v2" } },
  ])("names the run at once, then sends all its events: $body", async ({ url, body }) => {
    await using t = await setup();
    const viewer = await t.post(await url(t), body);
    const runId = viewer.headers.get("x-toolbus-run-id") ?? "";
    expect(viewer.headers.get("location")).toBe(`/v1/runs/${runId}`);
    expect(viewer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const first = await viewer.sees(() => true);
    expect(first).toEqual({ id: null, name: "accepted", data: { type: "accepted", runId, conversationId: expect.stringMatching(/^cv_/) } });
    await t.agent.take(runId);
    await t.agent.say(runId, started, completed);
    await viewer.ended;
    expect(viewer.seen.map(({ id, name }) => [id, name])).toEqual([
      [null, "accepted"],
      [`${runId}:1`, "run.started"],
      [`${runId}:2`, "run.completed"],
    ]);
  });

  it("is only for clients that ask for it explicitly", async () => {
    await using t = await setup();
    const id = await t.conversation();
    for (const accept of ["*/*", "text/*", "application/json", "text/html"]) {
      const answer = await t.ask("una", `/v1/conversations/${id}/messages`, { method: "POST", body: { text: "a" }, headers: { accept } });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([202, "application/json; charset=utf-8"]);
    }
  });

  it("is given again, from its beginning, for a repeat of its key", async () => {
    await using t = await setup();
    const url = `/v1/conversations/${await t.conversation()}/messages`;
    const key = { "idempotency-key": "k" };
    const first = await t.post(url, { text: "Hello." }, key);
    const runId = first.headers.get("x-toolbus-run-id") ?? "";
    await t.agent.take(runId);
    await t.agent.say(runId, started, completed);
    await first.ended;
    const repeat = await t.post(url, { text: "Hello." }, key);
    await repeat.ended;
    expect([repeat.headers.get("x-toolbus-run-id"), repeat.headers.get("idempotent-replay")]).toEqual([runId, "true"]);
    expect(repeat.seen).toEqual(first.seen);
  });

  it("that goes away stops nothing: the run is followed at its own address", async () => {
    await using t = await setup({ env: { SSE_PER_PRINCIPAL: "1" } });
    const gone = await t.post("/v1/investigations", { releaseId: "v2" });
    const runId = gone.headers.get("x-toolbus-run-id") ?? "";
    gone.leave();
    await gone.ended;
    // There is only one place for a stream. When the place is free, the gateway knows that the client has disconnected.
    await until(async () => (await t.view("una", runId).catch(() => null)) !== null);
    await t.agent.take(runId);
    await t.agent.say(runId, started, completed);
    const [, follower] = [...t.viewers];
    await follower?.ended;
    expect(follower?.seen.map(({ name }) => name)).toEqual(["run.started", "run.completed"]);
    const { documents } = await t.store.read([keys.inbox(shardOf(runId), cancelEntryId(runId))]);
    expect(documents).toEqual([null]);
  });

  it("accepts nothing when the caller has its share of streams, and keeps no place for a refused request", async () => {
    await using t = await setup({ env: { SSE_PER_PRINCIPAL: "1" } });
    const id = await t.conversation();
    const headers = { accept: "text/event-stream" };
    const broken = { method: "POST", body: { text: "a" }, headers } as const;
    for (let i = 0; i < 3; i++)
      expect(problemOf(await t.ask("una", "/v1/conversations/cv_05_01JD0000000000000000000001/messages", broken)).status).toBe(404);
    await t.post(`/v1/conversations/${id}/messages`, { text: "a" });
    const refused = await t.ask("una", `/v1/conversations/${id}/messages`, { method: "POST", body: { text: "b" }, headers });
    expect(problemOf(refused)).toEqual({ status: 429, code: "rate_limited" });
    expect((await t.ask("una", "/v1/runs")).body["runs"]).toHaveLength(1);
  });

  it("says goodbye when the server stops", async () => {
    await using t = await setup();
    const viewer = await t.post("/v1/investigations", { releaseId: "v2" });
    await t.service.stop();
    await viewer.ended;
    expect(viewer.seen.map(({ name }) => name)).toEqual(["accepted", "bye"]);
  });
});

type T = Awaited<ReturnType<typeof setup>>;

/** Starts a gateway. With `post`, una asks for a stream, which is closed when the test ends. */
async function setup(options: Options = {}) {
  const t = await setupGateway(options);
  return {
    ...t,
    async post(url: string, body: JsonObject, headers: Readonly<Record<string, string>> = {}): Promise<Viewer> {
      const viewer = await openViewer(t.service.url + url, apiKeyOf("una"), undefined, { body, headers });
      t.viewers.add(viewer);
      return viewer;
    },
  };
}
