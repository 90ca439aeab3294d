import { type JsonObject, keys, type Message, parseReplayRequest, topics } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { type Answer, setup, textIn, until } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const CALL = "rn_05_01JD0000000000000000000001.1.0";

describe("GET /v1/dead-letters", () => {
  it("lists what queues gave up, newest first, page by page", async () => {
    await using t = await setup();
    const kept: string[] = [];
    for (let n = 0; n < 5; n++) {
      kept.unshift(await t.letters.keep());
      t.clock.now += 1000;
    }
    const seen: unknown[] = [];
    let query = "?limit=2";
    for (;;) {
      const { status, body } = await t.ask("otto", `/v1/dead-letters${query}`);
      expect(status).toBe(200);
      seen.push(...ids(body));
      if (body["cursor"] === undefined) break;
      query = `?limit=2&cursor=${encodeURIComponent(textIn(body, "cursor"))}`;
    }
    expect(seen).toEqual(kept);
  });

  it("is empty if nothing was given up", async () => {
    await using t = await setup();
    expect((await t.ask("otto", "/v1/dead-letters")).body).toEqual({ deadLetters: [] });
  });

  it("shows the details of each, without its message", async () => {
    await using t = await setup();
    const id = await t.letters.keep({ runId: CALL.slice(0, -4), callId: CALL, former: "dl_05_01JD0000000000000000000009" });
    expect((await t.ask("otto", "/v1/dead-letters")).body).toEqual({
      deadLetters: [
        {
          id,
          queue: "run.wake",
          state: "open",
          reason: "the body breaks its schema",
          deliveries: 1,
          messageId: "wake:1",
          messageType: "toolbus.run.wake",
          runId: CALL.slice(0, -4),
          callId: CALL,
          former: "dl_05_01JD0000000000000000000009",
          keptAt: t.clock.now,
          expiresAt: t.clock.now + 30 * 86_400_000,
          links: {
            self: `/v1/dead-letters/${id}`,
            replay: `/v1/dead-letters/${id}/replay`,
            dismiss: `/v1/dead-letters/${id}/dismiss`,
          },
        },
      ],
    });
  });

  it("filters by queue or state", async () => {
    await using t = await setup();
    const [open, asked, done] = [await t.letters.keep(), await t.letters.keep(), await t.letters.keep({ queue: "approval.request" })];
    await t.letters.replayed(done);
    await t.ask("otto", `/v1/dead-letters/${asked}/replay`, { method: "POST" });
    const list = async (query: string) => ids((await t.ask("otto", `/v1/dead-letters?${query}`)).body).toSorted();
    expect(await list("queue=run.wake")).toEqual([open, asked]);
    expect(await list("queue=approval.request")).toEqual([done]);
    expect(await list("queue=nothing.here")).toEqual([]);
    expect([await list("state=open"), await list("state=replaying"), await list("state=replayed")]).toEqual([[open], [asked], [done]]);
    expect(await list("state=open&queue=approval.request")).toEqual([]);
  });

  it("keeps looking for a rare state, and returns a cursor when it has looked enough", async () => {
    await using t = await setup();
    const [rare] = [await t.letters.keep()];
    for (let n = 0; n < 30; n++) {
      t.clock.now += 1;
      await t.letters.replayed(await t.letters.keep());
    }
    expect(ids((await t.ask("otto", "/v1/dead-letters?state=open&limit=5")).body)).toEqual([rare]);
    const short = (await t.ask("otto", "/v1/dead-letters?state=open&limit=1")).body;
    expect(ids(short)).toEqual([]);
    const rest = await t.ask("otto", `/v1/dead-letters?state=open&limit=1&cursor=${encodeURIComponent(textIn(short, "cursor"))}`);
    expect(ids(rest.body)).toEqual([rare]);
  });

  it("shows an operator those of the tenant and those without a tenant, and skips expired ones", async () => {
    await using t = await setup();
    const [acme, other, nobodys, gone] = [
      await t.letters.keep(),
      await t.letters.keep({ tenant: "other" }),
      await t.letters.keep({ tenant: null }),
      await t.letters.keep(),
    ];
    await t.letters.expire(gone);
    expect(ids((await t.ask("otto", "/v1/dead-letters")).body).toSorted()).toEqual([acme, nobodys]);
    expect(ids((await t.ask("olga", "/v1/dead-letters")).body).toSorted()).toEqual([other, nobodys]);
  });

  it.each([
    ["?limit=0", "invalid_request"],
    ["?limit=101", "invalid_request"],
    ["?state=lost", "invalid_request"],
    ["?queue=", "invalid_request"],
    ["?queue=a%20b", "invalid_request"],
    ["?page=2", "invalid_request"],
    ["?cursor=nonsense", "invalid_cursor"],
  ])("refuses the query %s", async (query, code) => {
    await using t = await setup();
    expect(problemOf(await t.ask("otto", `/v1/dead-letters${query}`))).toEqual({ status: 400, code });
  });
});

describe("GET /v1/dead-letters/{id}", () => {
  it("shows the message and what a replay would do, without proofs and credentials", async () => {
    await using t = await setup();
    const message = {
      id: `${CALL}#r1`,
      topic: "tool.result.default",
      type: "toolbus.tool.result",
      source: "/worker",
      time: "2027-01-15T08:00:00.000Z",
      correlationId: CALL,
      attributes: { "toolbus-secret-hash": "sha256-x", "Toolbus-Receipt": "r", "toolbus-dispatch": "1" },
      body: JSON.stringify({ content: "The password is https://me:secret@host and tb_user_0123456789abcdef." }),
    };
    const id = await t.letters.keep({ message, history: [{ at: 1, reason: "busy" }], deliveries: 2 });
    const { body, text } = await t.ask("otto", `/v1/dead-letters/${id}`);
    expect(body).toMatchObject({
      id,
      state: "open",
      history: [{ at: 1, reason: "busy" }],
      cut: false,
      replayBy: "publish",
      message: { id: `${CALL}#r1`, attributes: { "toolbus-dispatch": "1" } },
    });
    expect(text).not.toMatch(/sha256-x|Receipt|me:secret|0123456789abcdef/);
    expect(body["message"]).toMatchObject({ body: expect.stringContaining("[redacted]") });
  });

  it("finds nothing under an id that is made up, of another tenant, or of a missing shard", async () => {
    await using t = await setup();
    const id = await t.letters.keep({ tenant: "other" });
    for (const wrong of [
      id,
      "dl_05_01JD0000000000000000000009",
      "dl_ff_01JD0000000000000000000009",
      "nonsense",
      "rn_05_01JD0000000000000000000001",
    ])
      expect(problemOf(await t.ask("otto", `/v1/dead-letters/${wrong}`))).toEqual({ status: 404, code: "not_found" });
  });
});

describe("POST /v1/dead-letters/{id}/replay", () => {
  it("asks the worker of operations through the outbox, and records who asked", async () => {
    await using t = await replaying();
    const id = await t.letters.keep();
    const { status, body } = await t.replay(id);
    expect([status, body]).toMatchObject([202, { id, state: "replaying", replay: { by: "otto", askedAt: t.clock.now } }]);
    await until(() => t.asked.length > 0);
    expect(t.asked[0]).toMatchObject({
      topic: "operations.replay",
      type: "toolbus.operations.replay",
      body: JSON.stringify({ letterId: id }),
    });
    expect(await t.request(id)).toEqual({ letterId: id, by: "otto", askedAt: t.clock.now });
    expect((await t.ask("otto", `/v1/dead-letters/${id}`)).body).toMatchObject({ state: "replaying" });
  });

  it("that is requested twice is one request, and a repeat with its key is marked as one", async () => {
    await using t = await replaying();
    const id = await t.letters.keep({ tenant: null });
    const first = await t.replay(id, "otto", "key-1");
    const again = await t.replay(id, "otto", "key-1");
    const other = await t.replay(id, "olga", "key-2");
    const without = await t.replay(id);
    expect([first, again, other, without].map(({ status, headers }) => [status, headers.get("idempotent-replay")])).toEqual([
      [202, null],
      [202, "true"],
      [202, null],
      [202, null],
    ]);
    expect(await t.request(id)).toMatchObject({ by: "otto" });
    expect(other.body).toMatchObject({ replay: { by: "otto" } });
    await t.letters.replayed(id);
    expect((await t.replay(id, "otto", "key-1")).headers.get("idempotent-replay")).toBe("true");
    expect(await t.replay(id)).toMatchObject({
      status: 200,
      body: { state: "replayed", replay: { by: "otto", messageId: "wake:1#replay1" } },
    });
  });

  it("of an invoke names the call in its current state", async () => {
    await using t = await replaying();
    const { callId } = await callOf(t, { dispatch: 3, requests: 1 });
    const id = await t.letters.keep({ callId, replayBy: { kind: "call", callId } });
    expect(await t.replay(id)).toMatchObject({ status: 202, body: { replayBy: "call" } });
    expect(await t.request(id)).toMatchObject({ call: { callId, dispatch: 3, requests: 1 } });
  });

  it("of a call that has its result says so and does nothing", async () => {
    await using t = await replaying();
    const { callId } = await callOf(t, { state: "resolved", result: { status: "timeout", content: "", isError: true } });
    const id = await t.letters.keep({ callId, replayBy: { kind: "call", callId } });
    const says = `The call ${callId} already has its result (timeout): a replay would do nothing.`;
    expect((await t.ask("otto", `/v1/dead-letters/${id}`)).body).toMatchObject({ replayBy: "call", whyNot: says });
    const answer = await t.replay(id);
    expect(problemOf(answer)).toEqual({ status: 409, code: "not_replayable" });
    expect(answer.body["detail"]).toBe(says);
    expect(await t.request(id)).toBeNull();
  });

  it.each([
    ["is no longer kept", { kind: "call", callId: CALL } as const, /is no longer kept/],
    ["is on a missing shard", { kind: "call", callId: CALL.replace("_05_", "_ff_") } as const, /is no longer kept/],
    ["was too large", { kind: "none", why: "The message was too large." } as const, /was too large/],
  ])("of a dead letter that %s is refused", async (_, replayBy, words) => {
    await using t = await replaying();
    const answer = await t.replay(await t.letters.keep({ replayBy }));
    expect(problemOf(answer)).toEqual({ status: 409, code: "not_replayable" });
    expect(answer.body["detail"]).toMatch(words);
  });

  it("accepts no body and no query", async () => {
    await using t = await replaying();
    const id = await t.letters.keep();
    const url = `/v1/dead-letters/${id}/replay`;
    expect(problemOf(await t.ask("otto", url, { method: "POST", body: { reason: "x" } })).code).toBe("invalid_request");
    expect(problemOf(await t.ask("otto", `${url}?now=1`, { method: "POST" })).code).toBe("invalid_request");
  });
});

describe("POST /v1/dead-letters/{id}/dismiss", () => {
  it("leaves the dead letter out of the open ones, once, and says who did it", async () => {
    await using t = await replaying();
    const [id, other] = [await t.letters.keep(), await t.letters.keep({ tenant: null })];
    const first = await t.dismiss(id);
    expect(first).toMatchObject({ status: 200, body: { id, state: "dismissed", dismissed: { by: "otto", at: t.clock.now } } });
    t.clock.now += 1000;
    expect((await t.dismiss(id)).body).toEqual(first.body);
    const list = async (state: string) => ids((await t.ask("otto", `/v1/dead-letters?state=${state}`)).body);
    expect([await list("open"), await list("dismissed")]).toEqual([[other], [id]]);
    expect(t.asked).toEqual([]);
  });

  it("is kept as long as the dead letter", async () => {
    await using t = await replaying();
    const id = await t.letters.keep();
    await t.dismiss(id);
    t.clock.now += 30 * 86_400_000 + 1;
    expect((await t.store.read([keys.letterDismissal(id)])).documents).toEqual([null]);
  });

  it("lets it be replayed later, and is refused once somebody has asked for that", async () => {
    await using t = await replaying();
    const id = await t.letters.keep();
    await t.dismiss(id);
    expect(await t.replay(id)).toMatchObject({ status: 202, body: { state: "replaying", dismissed: { by: "otto" } } });
    expect(problemOf(await t.dismiss(id))).toEqual({ status: 409, code: "conflict" });
    await t.letters.replayed(id);
    expect(problemOf(await t.dismiss(id))).toEqual({ status: 409, code: "conflict" });
    expect((await t.ask("otto", `/v1/dead-letters/${id}`)).body).toMatchObject({ state: "replayed" });
  });

  it("finds nothing of another tenant or under a made-up id, and accepts no body", async () => {
    await using t = await replaying();
    const id = await t.letters.keep({ tenant: "other" });
    for (const wrong of [id, "dl_05_01JD0000000000000000000009", "nonsense"])
      expect(problemOf(await t.dismiss(wrong))).toEqual({ status: 404, code: "not_found" });
    const own = `/v1/dead-letters/${await t.letters.keep()}/dismiss`;
    expect(problemOf(await t.ask("otto", own, { method: "POST", body: { reason: "x" } })).code).toBe("invalid_request");
  });
});

type T = Awaited<ReturnType<typeof setup>>;

/** Starts a gateway and a worker of operations that only listens. */
async function replaying() {
  const t = await setup();
  const asked: Message[] = [];
  await t.bus.consume(topics.operationsReplay, async ({ message }) => (asked.push(message), { kind: "ack" }), { concurrency: 1 });
  return {
    ...t,
    asked,
    replay: (id: string, who: "otto" | "olga" = "otto", key?: string): Promise<Answer> =>
      t.ask(who, `/v1/dead-letters/${id}/replay`, { method: "POST", headers: key === undefined ? {} : { "idempotency-key": key } }),
    dismiss: (id: string): Promise<Answer> => t.ask("otto", `/v1/dead-letters/${id}/dismiss`, { method: "POST" }),
    async request(id: string) {
      const { documents } = await t.store.read([keys.replayRequest(id)]);
      const request = parseReplayRequest(documents[0]?.value);
      return request.ok ? request.value : null;
    },
  };
}

/** Makes a call in a run of una's. */
async function callOf(t: Pick<T, "accepted" | "agent">, part: Parameters<T["agent"]["call"]>[1]) {
  const runId = await t.accepted("una");
  await t.agent.take(runId);
  const callId = `${runId}.1.0`;
  await t.agent.call(callId, part);
  return { callId };
}

function ids(body: JsonObject): string[] {
  return (body["deadLetters"] as readonly { readonly id: string }[]).map(({ id }) => id);
}
