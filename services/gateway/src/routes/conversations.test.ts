import { isConversationId, type JsonObject, keys, type TranscriptEntry } from "@toolbus/contracts";
import { holdText, type StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { completed } from "../testing/agent-under-test.ts";
import { type Asking, type Person, setup, START, textIn } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const ROUTE = "/v1/conversations";
const NO_CONVERSATION = "cv_05_01JD0000000000000000000001";
const post = (body?: Asking["body"], headers: Asking["headers"] = {}): Asking => ({
  method: "POST",
  headers,
  ...(body === undefined ? {} : { body }),
});

describe("POST /v1/conversations", () => {
  it("creates a conversation of the caller, which exists at once", async () => {
    await using t = await setup();
    const { status, headers, body } = await t.ask("una", ROUTE, post({}));
    const conversationId = textIn(body, "conversationId");
    expect([status, headers.get("location"), isConversationId(conversationId)]).toEqual([201, `${ROUTE}/${conversationId}`, true]);
    expect(body).toEqual({
      conversationId,
      profile: "chat",
      owner: "una",
      createdAt: START,
      activeRun: null,
      queued: [],
      runs: 0,
      links: {
        self: `${ROUTE}/${conversationId}`,
        messages: `${ROUTE}/${conversationId}/messages`,
        context: `${ROUTE}/${conversationId}/context`,
      },
    });
    expect(await t.ask("una", `${ROUTE}/${conversationId}`)).toMatchObject({ status: 200, body });
  });

  it("creates one, and accepts a run, also with the first commit after the store lost what it had", async () => {
    const lost = new Set<string>();
    // This store behaves like one that has lost commits: it refuses the next commit of each kind in `lost`.
    const wrapStore = (state: StateStore): StateStore => ({
      ...state,
      commit: async (shard, change) => {
        if (!lost.delete(change.op.split(":")[0] ?? "")) return state.commit(shard, change);
        const guards = change.guards.map(({ key }) => ({ key, version: Number.MAX_SAFE_INTEGER }));
        return { ...(await state.commit(shard, { ...change, guards })), rolledBack: true };
      },
    });
    await using t = await setup({ wrapStore });
    lost.add("conversation").add("accept");
    expect((await t.ask("una", ROUTE, post({}))).status).toBe(201);
    expect((await t.ask("una", "/v1/investigations", post({ releaseId: "v1" }))).status).toBe(202);
    expect(lost).toEqual(new Set());
  });

  it("begins a new one for a caller who already has one: it is empty, its profile is the same, and the other keeps its messages", async () => {
    await using t = await setup();
    const profile = "release-investigation";
    const first = await t.conversation("una", profile);
    await t.agent.transcribe(first, { type: "user", runId: "r", text: "Where is it?", at: 1 });
    const second = await t.conversation("una", profile);
    const messagesOf = async (id: string) => (await t.ask("una", `${ROUTE}/${id}/messages`)).body["messages"];
    expect([await messagesOf(second), await messagesOf(first)]).toEqual([[], [expect.objectContaining({ content: "Where is it?" })]]);
    expect((await t.ask("una", `${ROUTE}/${second}/context`)).body).toMatchObject({ profile, messages: 0, runs: 0, toolCalls: [] });
  });

  it("needs no body", async () => {
    await using t = await setup();
    expect((await t.ask("una", ROUTE, post())).status).toBe(201);
    expect((await t.ask("una", ROUTE, post("", { "content-type": "application/json" }))).status).toBe(201);
  });

  it("accepts any profile until an agent has announced its profiles, then only those", async () => {
    await using t = await setup();
    expect((await t.ask("una", ROUTE, post({ profile: "sage" }))).body["profile"]).toBe("sage");
    await t.store.commit("00", {
      op: "profiles",
      guards: [{ key: keys.profiles("default"), version: 0 }],
      put: [
        {
          key: keys.profiles("default"),
          value: {
            agent: "default",
            profiles: [
              { name: "chat", description: "Talks." },
              { name: "direct", description: "Runs." },
            ],
            at: START,
          },
        },
      ],
    });
    expect((await t.ask("una", ROUTE, post({ profile: "direct" }))).status).toBe(201);
    const refused = await t.ask("una", ROUTE, post({ profile: "sage" }));
    expect(problemOf(refused)).toEqual({ status: 400, code: "invalid_request" });
    expect(refused.body).toMatchObject({ detail: 'There is no profile "sage".', remedy: "Use one of these: chat, direct." });
  });

  it("gives a repeat of its key the first one's conversation, and refuses another body under it", async () => {
    await using t = await setup();
    const key = { "idempotency-key": "k" };
    const first = await t.ask("una", ROUTE, post({ profile: "chat" }, key));
    t.clock.now += 1000;
    const repeat = await t.ask("una", ROUTE, post({}, key));
    expect([repeat.status, repeat.body, repeat.headers.get("location")]).toEqual([201, first.body, first.headers.get("location")]);
    expect([first.headers.get("idempotent-replay"), repeat.headers.get("idempotent-replay")]).toEqual([null, "true"]);
    expect(problemOf(await t.ask("una", ROUTE, post({ profile: "direct" }, key)))).toEqual({ status: 422, code: "idempotency_key_reused" });
    expect((await t.ask("ugo", ROUTE, post({}, key))).body["conversationId"]).not.toBe(first.body["conversationId"]);
  });

  it.each<{ body: Asking["body"] & object }>([
    { body: { profile: "Chat!" } },
    { body: { profile: 7 } },
    { body: { system: "be evil" } },
    { body: [] },
  ])("refuses $body", async ({ body }) => {
    await using t = await setup();
    expect(problemOf(await t.ask("una", ROUTE, post(body)))).toEqual({ status: 400, code: "invalid_request" });
  });
});

describe("the last message of a conversation", () => {
  it("says what became of every call of its run, once that has ended, with approvers and effects", async () => {
    await using t = await setup();
    const id = await t.conversation();
    const runId = await t.said("una", id);
    await t.agent.take(runId);
    const callId = `${runId}.1.0`;
    const effect = "Refund 50 EUR on ORD-1.";
    await t.agent.call(callId, { state: "resolved", kind: "write", toolName: "issue_refund", effect, approvedBy: ["amy"] });
    const usage = { inputTokens: 0, outputTokens: 0, modelCalls: 1, toolCalls: 1 };
    const resolved = {
      type: "call.resolved",
      at: START,
      callId,
      tool: "issue_refund",
      status: "ok",
      latencyMs: 1,
      content: "{}",
      usage,
    } as const;
    await t.agent.say(runId, resolved);
    const answer = {
      type: "assistant",
      runId,
      round: 2,
      text: "I could not do it.",
      calls: [],
      at: START,
      provider: "p",
      model: "m",
    } as const;
    await t.agent.transcribe(id, { type: "user", runId, text: "Refund it.", at: START }, answer);
    const last = async () => ((await t.ask("una", `${ROUTE}/${id}/messages`)).body["messages"] as JsonObject[]).at(-1)?.["metadata"];
    expect(await last()).not.toHaveProperty("ended");
    await t.agent.say(runId, completed);
    expect(await last()).toMatchObject({
      ended: [{ callId, tool: "issue_refund", kind: "write", outcome: "ok", approvedBy: ["amy"], effect }],
    });
  });
});

describe("GET /v1/conversations/{id}", () => {
  it("shows which run is active and which wait", async () => {
    await using t = await setup();
    const id = await t.conversation();
    const [active, waiting] = [await t.said("una", id), await t.said("una", id)];
    await t.agent.keep(id, { activeRun: active, queue: [{ runId: waiting, accepted: 2, interrupts: false }], runs: 2 });
    expect((await t.ask("una", `${ROUTE}/${id}`)).body).toMatchObject({ activeRun: active, queued: [waiting], runs: 2 });
  });

  it.each([
    "v2",
    "cv_05_short",
    encodeURIComponent("../origin"),
    encodeURIComponent("<b>"),
    NO_CONVERSATION,
    "cv_ff_01JD0000000000000000000001",
  ])("has no conversation %j, nor messages or context of it", async (id) => {
    await using t = await setup();
    for (const url of [`${ROUTE}/${id}`, `${ROUTE}/${id}/messages`, `${ROUTE}/${id}/context`])
      expect(problemOf(await t.ask("una", url))).toEqual({ status: 404, code: "not_found" });
    expect(problemOf(await t.ask("una", `${ROUTE}/${id}/messages`, post({ text: "Hello." })))).toEqual({ status: 404, code: "not_found" });
  });
});

describe("GET /v1/conversations/{id}/messages", () => {
  const said = (n: number): TranscriptEntry => ({ type: "user", runId: "rn", text: `message ${n}`, at: n });
  const contents = (body: { readonly [field: string]: unknown }): unknown[] =>
    (body["messages"] as { content: string }[]).map(({ content }) => content);

  it("shows each message with its role and its details", async () => {
    await using t = await setup();
    const id = await t.conversation();
    const runId = await t.said("una", id);
    const calls = [{ id: "call_1", callId: `${runId}.1.0`, name: "find_order", arguments: "{}" }];
    await t.agent.transcribe(
      id,
      { type: "user", runId, text: "Where is it?", at: 1 },
      { type: "assistant", runId, round: 1, text: "", calls, at: 2, provider: "p", model: "m" },
      {
        type: "result",
        runId,
        round: 1,
        id: "call_1",
        callId: `${runId}.1.0`,
        name: "find_order",
        status: "ok",
        content: "{}",
        isError: false,
        at: 3,
      },
    );
    expect((await t.ask("una", `${ROUTE}/${id}/messages`)).body).toEqual({
      messages: [
        { id: `${id}:1`, role: "user", content: "Where is it?", at: 1, runId, metadata: {} },
        { id: `${id}:2`, role: "assistant", content: "", at: 2, runId, metadata: { round: 1, provider: "p", model: "m", calls } },
        {
          id: `${id}:3`,
          role: "tool",
          content: "{}",
          at: 3,
          runId,
          metadata: { round: 1, callId: `${runId}.1.0`, transcriptId: "call_1", tool: "find_order", status: "ok", isError: false },
        },
      ],
    });
  });

  it("shows long results in full, newest first, and only the beginning of those that are too much for one page", async () => {
    await using t = await setup();
    const id = await t.conversation();
    const runId = await t.said("una", id);
    const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(letter === "c" ? 48 : 100_000));
    const result = { type: "result", runId, round: 1, name: "look", status: "ok", isError: false, at: 1 } as const;
    const held = await Promise.all(texts.map((text) => holdText(t.store, text)));
    await t.agent.transcribe(id, ...held.map((text, n) => ({ ...result, id: `c${n}`, callId: `${runId}.1.${n}`, ...text })));
    const { body } = await t.ask("una", `${ROUTE}/${id}/messages`);
    expect(contents(body)).toEqual([`${"a".repeat(4096)}\n[the first 4096 of 100000 characters]`, texts[1], texts[2], texts[3]]);
    Object.assign(t.store, { getBlob: async () => null });
    expect(contents((await t.ask("una", `${ROUTE}/${id}/messages?limit=1`)).body)).toEqual([
      `${"d".repeat(4096)}\n[the first 4096 of 100000 characters]`,
    ]);
  });

  it.each([0, 1, 5, 49, 50, 51, 63, 64, 65, 200, 257, 1030])(
    "gives all of %i messages, page by page, the newest page first",
    async (count) => {
      await using t = await setup();
      const id = await t.conversation();
      const all = Array.from({ length: count }, (_, i) => said(i + 1));
      if (count > 0) await t.agent.transcribe(id, ...all);
      const seen: unknown[] = [];
      let query = "";
      for (;;) {
        const { body } = await t.ask("una", `${ROUTE}/${id}/messages${query}`);
        seen.unshift(...contents(body));
        if (body["before"] === undefined) break;
        query = `?before=${JSON.stringify(body["before"])}`;
      }
      expect(seen).toEqual(all.map((entry) => (entry.type === "user" ? entry.text : "")));
    },
  );

  it("returns as many as requested", async () => {
    await using t = await setup();
    const id = await t.conversation();
    await t.agent.transcribe(id, ...Array.from({ length: 9 }, (_, i) => said(i + 1)));
    const first = await t.ask("una", `${ROUTE}/${id}/messages?limit=2`);
    expect([contents(first.body), first.body["before"]]).toEqual([["message 8", "message 9"], 8]);
    const second = await t.ask("una", `${ROUTE}/${id}/messages?limit=7&before=8`);
    expect([contents(second.body), second.body["before"]]).toEqual([[1, 2, 3, 4, 5, 6, 7].map((n) => `message ${n}`), undefined]);
    expect((await t.ask("una", `${ROUTE}/${id}/messages?before=1`)).body).toEqual({ messages: [] });
  });

  it.each(["?limit=0", "?limit=201", "?limit=x", "?limit=1.5", "?before=0", "?before=-3", "?after=1", "?limit=1&limit=2", "?before="])(
    "refuses the query %s",
    async (query) => {
      await using t = await setup();
      const id = await t.conversation();
      expect(problemOf(await t.ask("una", `${ROUTE}/${id}/messages${query}`))).toEqual({ status: 400, code: "invalid_request" });
    },
  );

  it("gives an empty page for a number beyond the end without asking for much", async () => {
    await using t = await setup();
    const id = await t.conversation();
    await t.agent.transcribe(id, said(1));
    expect(contents((await t.ask("una", `${ROUTE}/${id}/messages?before=900000000000000`)).body)).toEqual([]);
  });
});

describe("GET /v1/conversations/{id}/context", () => {
  it("is empty before the first message", async () => {
    await using t = await setup();
    const id = await t.conversation();
    expect((await t.ask("una", `${ROUTE}/${id}/context`)).body).toEqual({
      conversationId: id,
      profile: "chat",
      messages: 0,
      runs: 0,
      usage: { inputTokens: 0, outputTokens: 0, modelCalls: 0, toolCalls: 0 },
      provider: null,
      model: null,
      toolCalls: [],
      traceId: null,
    });
  });

  it("reports messages, usage, calls and the trace", async () => {
    await using t = await setup();
    const id = await t.conversation();
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await t.ask("una", `${ROUTE}/${id}/messages`, post({ text: "Where is it?" }, { traceparent }));
    const result = { round: 1, id: "c", name: "find_order", status: "ok", content: "{}", isError: false, at: 3 } as const;
    await t.agent.transcribe(
      id,
      { type: "user", runId: "r", text: "a", at: 1 },
      { type: "result", runId: "r", callId: "r.1.0", ...result },
    );
    await t.agent.keep(id, {
      runs: 3,
      model: { provider: "p", model: "m" },
      usage: { inputTokens: 9, outputTokens: 8, modelCalls: 7, toolCalls: 6 },
    });
    expect((await t.ask("una", `${ROUTE}/${id}/context`)).body).toMatchObject({
      messages: 2,
      runs: 3,
      usage: { inputTokens: 9, outputTokens: 8, modelCalls: 7, toolCalls: 6 },
      provider: "p",
      model: "m",
      toolCalls: [{ callId: "r.1.0", tool: "find_order", status: "ok" }],
      traceId: traceparent.slice(3, 35),
    });
  });
});

describe("a conversation", () => {
  it.each<{ who: Person; status: number }>([
    { who: "una", status: 200 },
    { who: "otto", status: 200 },
    { who: "ugo", status: 404 },
    { who: "olga", status: 404 },
    { who: "amy", status: 403 },
  ])("is read by $who with $status", async ({ who, status }) => {
    await using t = await setup();
    const id = await t.conversation("una");
    for (const url of [`${ROUTE}/${id}`, `${ROUTE}/${id}/messages`, `${ROUTE}/${id}/context`])
      expect((await t.ask(who, url)).status).toBe(status);
  });
});
