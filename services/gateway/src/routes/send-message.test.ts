import { keys, parseConversationOrigin, parseInboxEntry, shardOf } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { type Asking, setup, START, textIn, until } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const ROUTE = "/v1/conversations";
const post = (body?: Asking["body"], headers: Asking["headers"] = {}): Asking => ({
  method: "POST",
  headers,
  ...(body === undefined ? {} : { body }),
});
const DAY = 86_400_000;

describe("POST /v1/conversations/{id}/messages", () => {
  it("starts a run of the conversation, and notifies the agent at once", async () => {
    await using t = await setup();
    const id = await t.conversation("una", "direct");
    const { status, headers, body } = await t.ask("una", `${ROUTE}/${id}/messages`, post({ text: "Look.", ifActive: "interrupt" }));
    const runId = textIn(body, "runId");
    expect([status, headers.get("location"), headers.get("x-toolbus-run-id")]).toEqual([202, `/v1/runs/${runId}`, runId]);
    expect(body).toMatchObject({ conversationId: id, status: "accepted", requester: "una" });
    expect(shardOf(runId)).toBe(shardOf(id));
    await until(() => t.wakes.length === 1);
    const { documents } = await t.store.read([keys.inbox(shardOf(runId), runId)]);
    expect(parseInboxEntry(documents[0]?.value)).toMatchObject({
      ok: true,
      value: { kind: "message", runId, conversationId: id, profile: "direct", text: "Look.", input: {}, ifActive: "interrupt" },
    });
  });

  it("accepts the message as content, and under its earlier name text: both mean the same", async () => {
    await using t = await setup();
    const id = await t.conversation();
    const sent = (body: Asking["body"]) => t.ask("una", `${ROUTE}/${id}/messages`, post(body, { "idempotency-key": "k" }));
    const first = await sent({ content: "Look." });
    expect(first.status).toBe(202);
    const runId = textIn(first.body, "runId");
    const { documents } = await t.store.read([keys.inbox(shardOf(runId), runId)]);
    expect(documents[0]?.value).toMatchObject({ text: "Look." });
    for (const body of [{ text: "Look." }, { content: "Look.", text: "Look." }]) {
      const again = await sent(body);
      expect([again.status, again.body["runId"], again.headers.get("idempotent-replay")]).toEqual([202, runId, "true"]);
    }
  });

  it("keeps the conversation as long as messages come", async () => {
    await using t = await setup();
    const id = await t.conversation();
    for (let message = 0; message < 3; message++) {
      t.clock.now += 20 * DAY;
      await t.said("una", id);
    }
    expect((await t.ask("una", `${ROUTE}/${id}`)).body["createdAt"]).toBe(START);
    t.clock.now += 31 * DAY;
    expect((await t.ask("una", `${ROUTE}/${id}`)).status).toBe(404);
  });

  it("keeps the trace of the first message for all that follow", async () => {
    await using t = await setup();
    const id = await t.conversation();
    const traceparent = (n: number): string => `00-${String(n).repeat(32)}-${"b".repeat(16)}-01`;
    const runs: string[] = [];
    for (const n of [1, 2]) {
      const { body } = await t.ask("una", `${ROUTE}/${id}/messages`, post({ text: "Hello." }, { traceparent: traceparent(n) }));
      runs.push(textIn(body, "runId"));
    }
    const { documents } = await t.store.read([keys.conversationOrigin(id), ...runs.map((runId) => keys.inbox(shardOf(runId), runId))]);
    const origin = parseConversationOrigin(documents[0]?.value);
    const traces = documents
      .slice(1)
      .map((entry) => parseInboxEntry(entry?.value))
      .map((entry) => entry.ok && entry.value.kind === "message" && entry.value.traceparent);
    expect(origin.ok && origin.value.traceparent).toContain("1".repeat(32));
    expect(traces.map((trace) => trace && trace.slice(3, 35))).toEqual(["1".repeat(32), "1".repeat(32)]);
    expect((await t.ask("una", `${ROUTE}/${id}/context`)).body["traceId"]).toBe("1".repeat(32));
  });

  it("is for its owner: an operator of the tenant can only read", async () => {
    await using t = await setup();
    const id = await t.conversation("una");
    const url = `${ROUTE}/${id}/messages`;
    const say = post({ text: "Hello." });
    expect(problemOf(await t.ask("otto", url, say))).toEqual({ status: 403, code: "forbidden" });
    for (const who of ["ugo", "olga"] as const) expect(problemOf(await t.ask(who, url, say))).toEqual({ status: 404, code: "not_found" });
    expect((await t.ask("otto", url)).status).toBe(200);
  });

  it("puts simultaneous messages into one conversation, each with its own run", async () => {
    await using t = await setup();
    const id = await t.conversation();
    const runs = await Promise.all(Array.from({ length: 12 }, (_, i) => t.said("una", id, `message ${i}`)));
    expect(new Set(runs).size).toBe(12);
    await until(() => t.wakes.length >= 12);
  });

  it.each<{ what: string; asking: Asking; problem: { status: number; code: string } }>([
    { what: "nothing", asking: post(), problem: { status: 400, code: "malformed_body" } },
    { what: "an empty text", asking: post({ text: "" }), problem: { status: 400, code: "invalid_request" } },
    { what: "no text", asking: post({ ifActive: "reject" }), problem: { status: 400, code: "invalid_request" } },
    { what: "nothing that is said", asking: post({ ifActive: "reject" }), problem: { status: 400, code: "invalid_request" } },
    { what: "two things said", asking: post({ content: "a", text: "b" }), problem: { status: 400, code: "invalid_request" } },
    { what: "empty content", asking: post({ content: "" }), problem: { status: 400, code: "invalid_request" } },
    { what: "another demand", asking: post({ text: "a", ifActive: "later" }), problem: { status: 400, code: "invalid_request" } },
    { what: "an unknown field", asking: post({ text: "a", role: "system" }), problem: { status: 400, code: "invalid_request" } },
    { what: "too many characters", asking: post({ text: "x".repeat(32_769) }), problem: { status: 400, code: "invalid_request" } },
    {
      what: "characters that take too much room",
      asking: post({ text: "\u0001".repeat(20_000) }),
      problem: { status: 413, code: "body_too_large" },
    },
    { what: "half a body", asking: post('{"text":'), problem: { status: 400, code: "malformed_body" } },
    {
      what: "plain text",
      asking: post("Hello.", { "content-type": "text/plain" }),
      problem: { status: 415, code: "unsupported_media_type" },
    },
  ])("refuses $what", async ({ asking, problem }) => {
    await using t = await setup();
    const id = await t.conversation();
    expect(problemOf(await t.ask("una", `${ROUTE}/${id}/messages`, asking))).toEqual(problem);
    expect(t.wakes).toEqual([]);
  });

  it("stores the largest text that it accepts", async () => {
    await using t = await setup();
    const id = await t.conversation();
    const runId = await t.said("una", id, "é".repeat(24_000));
    const { documents } = await t.store.read([keys.inbox(shardOf(runId), runId)]);
    expect(documents[0]?.value).toMatchObject({ text: "é".repeat(24_000) });
  });
});

describe("a message while a run of its conversation is active", () => {
  it.each([
    { ifActive: undefined, status: 202 },
    { ifActive: "enqueue", status: 202 },
    { ifActive: "interrupt", status: 202 },
    { ifActive: "reject", status: 409 },
  ])("is answered $status with ifActive $ifActive", async ({ ifActive, status }) => {
    await using t = await setup();
    const id = await t.conversation();
    await t.agent.keep(id, { activeRun: await t.said("una", id), runs: 1 });
    const body = { text: "And?", ...(ifActive === undefined ? {} : { ifActive }) };
    const answer = await t.ask("una", `${ROUTE}/${id}/messages`, post(body));
    expect(answer.status).toBe(status);
    if (status === 409) expect(problemOf(answer)).toEqual({ status: 409, code: "conversation_busy" });
  });

  it("is refused when the queue is full, and accepted when there is room again", async () => {
    await using t = await setup();
    const id = await t.conversation();
    const runId = await t.said("una", id);
    const queue = Array.from({ length: 64 }, (_, accepted) => ({ runId, accepted, interrupts: false }));
    await t.agent.keep(id, { activeRun: runId, queue });
    expect(problemOf(await t.ask("una", `${ROUTE}/${id}/messages`, post({ text: "a" })))).toEqual({ status: 409, code: "queue_full" });
    await t.agent.keep(id, { activeRun: null });
    expect((await t.ask("una", `${ROUTE}/${id}/messages`, post({ text: "a", ifActive: "reject" }))).status).toBe(202);
  });

  it("gets the earlier answer when its key is repeated, however busy the conversation is", async () => {
    await using t = await setup();
    const id = await t.conversation();
    const again = post({ text: "a", ifActive: "reject" }, { "idempotency-key": "k" });
    const first = await t.ask("una", `${ROUTE}/${id}/messages`, again);
    await t.agent.keep(id, { activeRun: textIn(first.body, "runId") });
    const repeat = await t.ask("una", `${ROUTE}/${id}/messages`, again);
    expect([repeat.status, repeat.body, repeat.headers.get("idempotent-replay")]).toEqual([202, first.body, "true"]);
    for (const body of [{ text: "b", ifActive: "reject" }, { text: "a" }])
      expect(problemOf(await t.ask("una", `${ROUTE}/${id}/messages`, post(body, { "idempotency-key": "k" })))).toEqual({
        status: 422,
        code: "idempotency_key_reused",
      });
  });

  it("starts one run for requests with one key that race", async () => {
    await using t = await setup();
    const id = await t.conversation();
    const asking = post({ text: "a" }, { "idempotency-key": "k" });
    const answers = await Promise.all(Array.from({ length: 8 }, () => t.ask("una", `${ROUTE}/${id}/messages`, asking)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${textIn(body, "runId")}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get("idempotent-replay") === null)).toHaveLength(1);
  });
});
