import { describe, expect, it } from "vitest";
import { completed } from "../testing/agent-under-test.ts";
import { type Answer, setup, textIn } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const DAY = 86_400_000;

describe("GET /v1/runs", () => {
  it("lists the caller's own runs, newest first, page by page", async () => {
    await using t = await setup();
    const runs: string[] = [];
    for (let n = 0; n < 5; n++) {
      runs.unshift(await t.accepted("una"));
      await t.accepted("ugo");
      t.clock.now += 1000;
    }
    const seen: unknown[] = [];
    let query = "?limit=2";
    for (;;) {
      const { status, body } = await t.ask("una", `/v1/runs${query}`);
      expect(status).toBe(200);
      seen.push(...ids(body));
      if (body["cursor"] === undefined) break;
      query = `?limit=2&cursor=${encodeURIComponent(textIn(body, "cursor"))}`;
    }
    expect(seen).toEqual(runs);
  });

  it("lists those of another requester of the tenant for its operator alone", async () => {
    await using t = await setup();
    const runId = await t.accepted("una");
    await t.accepted("uma");
    const listed = async (who: "una" | "otto" | "olga", requester: string) =>
      ids((await t.ask(who, `/v1/runs?requester=${requester}`)).body);
    expect([await listed("otto", "una"), await listed("una", "una")]).toEqual([[runId], [runId]]);
    expect([await listed("otto", "uma"), await listed("olga", "una"), await listed("otto", "otto")]).toEqual([[], [], []]);
    expect(problemOf(await t.ask("ugo", "/v1/runs?requester=una"))).toEqual({ status: 403, code: "forbidden" });
  });

  it("shows each as GET /v1/runs/{id} does, with what it waits for", async () => {
    await using t = await setup();
    const [held, done] = [await t.accepted(), await t.accepted()];
    await t.agent.take(held);
    await t.agent.call(`${held}.1.0`, { state: "held", approvalId: `ap_${held}.1.0` });
    await t.agent.take(done);
    await t.agent.say(done, completed);
    const { body } = await t.ask("una", "/v1/runs");
    const alone = await Promise.all(ids(body).map(async (id) => (await t.ask("una", `/v1/runs/${id}`)).body));
    // The list leaves out `waits`, which the view of one run shows.
    expect(body["runs"]).toEqual(alone.map(({ waits: _, ...view }) => view));
    expect(alone.map(({ waits }) => waits !== undefined)).toEqual(alone.map(({ status }) => status !== "done"));
    expect(new Set(alone.map(({ status }) => status))).toEqual(new Set(["awaiting_approval", "done"]));
  });

  it("filters by status, by profile and by age, and reads as many runs as it needs to fill a page", async () => {
    await using t = await setup();
    const runs: string[] = [];
    for (let n = 0; n < 12; n++) {
      const runId = await t.accepted("una");
      runs.unshift(runId);
      await t.agent.take(runId, { profile: n % 6 === 0 ? "chat" : "direct", createdAt: t.clock.now });
      if (n % 4 === 0) await t.agent.say(runId, completed);
      t.clock.now += 1000;
    }
    const [at0, at4, at6, at8] = [runs[11], runs[7], runs[5], runs[3]];
    const listed = async (query: string) => ids((await t.ask("una", `/v1/runs?${query}`)).body);
    expect(await listed("status=done")).toEqual([at8, at4, at0]);
    expect(await listed("status=done&profile=chat")).toEqual([at0]);
    expect(await listed("profile=chat")).toEqual([at6, at0]);
    expect(await listed(`status=done&since=${t.clock.now - 8000}`)).toEqual([at8, at4]);
    const first = (await t.ask("una", "/v1/runs?status=done&limit=2")).body;
    expect(ids(first)).toEqual([at8, at4]);
    expect(await listed(`status=done&limit=2&cursor=${encodeURIComponent(textIn(first, "cursor"))}`)).toEqual([at0]);
    expect(problemOf(await t.ask("una", "/v1/runs?status=odd"))).toEqual({ status: 400, code: "invalid_request" });
  });

  it("chooses by what became of the writes, which the status does not say", async () => {
    await using t = await setup();
    const ended = async (status: string, code?: string): Promise<string> => {
      const runId = await t.accepted("una");
      const latest = [{ callId: `${runId}.1.0`, tool: "issue_refund", status, ...(code === undefined ? {} : { code }) }];
      await t.agent.take(runId, { writes: { happened: 0, unknown: status === "outcome_unknown" ? 1 : 0, latest } });
      await t.agent.say(runId, completed);
      t.clock.now += 1000;
      return runId;
    };
    const denied = await ended("denied", "denied_by_user");
    const expired = await ended("denied", "approval_expired");
    const unknown = await ended("outcome_unknown");
    await ended("ok");
    const listed = async (query: string) => ids((await t.ask("una", `/v1/runs?${query}`)).body);
    expect([await listed("outcome=denied"), await listed("outcome=expired"), await listed("outcome=unknown&status=done")]).toEqual([
      [denied],
      [expired],
      [unknown],
    ]);
    expect((await t.ask("una", `/v1/runs/${denied}`)).body).toMatchObject({ status: "done", outcomes: ["denied"] });
    expect(problemOf(await t.ask("una", "/v1/runs?outcome=odd"))).toEqual({ status: 400, code: "invalid_request" });
  });

  it("is empty for one who has none, an operator too: it lists one's own", async () => {
    await using t = await setup();
    await t.accepted("una");
    for (const who of ["ugo", "otto", "olga"] as const) expect((await t.ask(who, "/v1/runs")).body).toEqual({ runs: [] });
  });

  it("skips runs of the same name in another tenant, and expired ones", async () => {
    await using t = await setup();
    await t.accepted("olga");
    await t.accepted("una");
    // The index uses only the principal's name. The test adds olga's run to una's index, as if olga were a principal of another tenant who is also
    // called una.
    const { members } = await t.store.page("index.runs.olga", { limit: 1 });
    const stranger = members[0]?.member ?? "";
    await t.store.commit(stranger.slice(3, 5), {
      op: "index",
      guards: [{ key: `tb:test:{${stranger.slice(3, 5)}}:none`, version: 0 }],
      index: [{ index: "index.runs.una", member: stranger, score: t.clock.now }],
    });
    expect(ids((await t.ask("una", "/v1/runs")).body)).toHaveLength(1);
    t.clock.now += 3 * DAY;
    expect(ids((await t.ask("una", "/v1/runs")).body)).toEqual([]);
  });

  it.each([
    ["?limit=0", "invalid_request"],
    ["?limit=101", "invalid_request"],
    ["?limit=many", "invalid_request"],
    ["?page=2", "invalid_request"],
    ["?cursor=a&cursor=b", "invalid_request"],
    [`?cursor=${"x".repeat(2001)}`, "invalid_request"],
    ["?cursor=nonsense", "invalid_cursor"],
    ["?cursor=", "invalid_cursor"],
  ])("refuses the query %s", async (query, code) => {
    await using t = await setup();
    expect(problemOf(await t.ask("una", `/v1/runs${query}`))).toEqual({ status: 400, code });
  });

  it("is not for approvers, nor for strangers", async () => {
    await using t = await setup();
    expect(problemOf(await t.ask("amy", "/v1/runs")).status).toBe(403);
    expect(problemOf(await t.ask(null, "/v1/runs")).status).toBe(401);
  });
});

function ids(body: Answer["body"]): string[] {
  return (body["runs"] as readonly { readonly runId: string }[]).map(({ runId }) => runId);
}
