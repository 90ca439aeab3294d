import { keys, parseConversationOrigin, parseInboxEntry, shardOf } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { type Asking, setup, START, textIn, until } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const ROUTE = "/v1/messages";
const post = (body: Asking["body"], headers: Asking["headers"] = {}): Asking => ({
  method: "POST",
  headers,
  ...(body === undefined ? {} : { body }),
});

describe("POST /v1/messages", () => {
  it("begins a conversation and its first run in one commit, and notifies the agent at once", async () => {
    const ops: string[] = [];
    const wrapStore = (state: StateStore): StateStore => ({
      ...state,
      commit: (shard, change) => {
        ops.push(change.op.split(":")[0] ?? "");
        return state.commit(shard, change);
      },
    });
    await using t = await setup({ wrapStore });
    const { status, headers, body } = await t.ask("una", ROUTE, post({ content: "Look.", profile: "direct" }));
    const runId = textIn(body, "runId");
    const conversationId = textIn(body, "conversationId");
    expect([status, headers.get("location"), headers.get("x-toolbus-run-id")]).toEqual([202, `/v1/runs/${runId}`, runId]);
    expect(body).toMatchObject({ status: "accepted", requester: "una" });
    expect(ops.filter((op) => op === "accept" || op === "conversation")).toEqual(["accept"]);
    await until(() => t.wakes.length === 1);
    const { documents } = await t.store.read([keys.inbox(shardOf(runId), runId), keys.conversationOrigin(conversationId)]);
    expect(parseInboxEntry(documents[0]?.value)).toMatchObject({
      ok: true,
      value: { kind: "message", runId, conversationId, profile: "direct", text: "Look.", input: {}, ifActive: "enqueue" },
    });
    expect(parseConversationOrigin(documents[1]?.value)).toMatchObject({
      ok: true,
      value: { conversationId, owner: "una", profile: "direct", createdAt: START, lastRun: runId },
    });
    expect((await t.ask("una", "/v1/conversations")).body["conversations"]).toMatchObject([{ conversationId, profile: "direct" }]);
  });

  it("uses the profile chat if none is given, and takes the next message like any conversation", async () => {
    await using t = await setup();
    const { body } = await t.ask("una", ROUTE, post({ content: "Look." }));
    expect((await t.ask("una", `/v1/conversations/${textIn(body, "conversationId")}`)).body["profile"]).toBe("chat");
    const next = await t.ask("una", `/v1/conversations/${textIn(body, "conversationId")}/messages`, post({ content: "Look again." }));
    expect([next.status, next.body["conversationId"]]).toEqual([202, body["conversationId"]]);
    expect((await t.ask("ugo", `/v1/conversations/${textIn(body, "conversationId")}/messages`, post({ content: "Mine?" }))).status).toBe(
      404,
    );
  });

  it("gives a repeat of its key the first one's run, and refuses another message under it", async () => {
    await using t = await setup();
    const key = { "idempotency-key": "k" };
    const first = await t.ask("una", ROUTE, post({ content: "Look." }, key));
    const repeat = await t.ask("una", ROUTE, post({ profile: "chat", content: "Look." }, key));
    expect([repeat.status, repeat.body["runId"], repeat.headers.get("idempotent-replay")]).toEqual([202, first.body["runId"], "true"]);
    expect(problemOf(await t.ask("una", ROUTE, post({ content: "Other." }, key)))).toEqual({ status: 422, code: "idempotency_key_reused" });
    // The key of another route is another key.
    expect((await t.ask("una", "/v1/conversations", post({}, key))).status).toBe(201);
    expect((await t.ask("ugo", ROUTE, post({ content: "Look." }, key))).body["runId"]).not.toBe(first.body["runId"]);
  });

  it("counts among the runs of its principal", async () => {
    await using t = await setup({ env: { RUNS_PER_MINUTE: "1" } });
    expect((await t.ask("una", ROUTE, post({ content: "Look." }))).status).toBe(202);
    expect(problemOf(await t.ask("una", ROUTE, post({ content: "Look." })))).toEqual({ status: 429, code: "rate_limited" });
  });

  it("refuses a profile that no agent has, and begins nothing", async () => {
    await using t = await setup();
    await t.store.commit("00", {
      op: "profiles",
      guards: [{ key: keys.profiles("default"), version: 0 }],
      put: [
        {
          key: keys.profiles("default"),
          value: { agent: "default", profiles: [{ name: "chat", description: "Talks." }], at: START },
        },
      ],
    });
    const refused = await t.ask("una", ROUTE, post({ content: "Look.", profile: "sage" }));
    expect(problemOf(refused)).toEqual({ status: 400, code: "invalid_request" });
    expect(refused.body).toMatchObject({ detail: 'There is no profile "sage".', remedy: "Use one of these: chat." });
    expect((await t.ask("una", "/v1/conversations")).body["conversations"]).toEqual([]);
  });

  it.each<{ body: Asking["body"] }>([
    { body: {} },
    { body: { content: "" } },
    { body: { content: 7 } },
    { body: { content: "Look.", ifActive: "enqueue" } },
    { body: { content: "Look.", profile: "Chat!" } },
    { body: [] },
  ])("refuses $body", async ({ body }) => {
    await using t = await setup();
    expect(problemOf(await t.ask("una", ROUTE, post(body)))).toEqual({ status: 400, code: "invalid_request" });
  });
});
