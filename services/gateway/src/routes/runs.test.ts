import { keys, type RunEvent, shardOf } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { cancelled, completed, started, turn } from "../testing/agent-under-test.ts";
import { type Asking, type Person, setup, START, until } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const POST: Asking = { method: "POST" };
const NO_RUN = "rn_05_01JD0000000000000000000001";

describe("GET /v1/runs/{id}", () => {
  it("shows a run as its agent keeps it, from taken to its end", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    await t.agent.take(runId);
    expect((await t.ask("una", `/v1/runs/${runId}`)).body).toMatchObject({
      status: "ready",
      profile: "release-investigation",
      input: { releaseId: "v2" },
      round: 0,
      answer: null,
    });
    await t.agent.say(runId, started, turn(0), turn(1), completed);
    const { status, body } = await t.ask("una", `/v1/runs/${runId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      runId,
      requester: "una",
      status: "done",
      round: 2,
      endedAt: START,
      openCalls: [],
      answer: "done",
      report: null,
    });
    expect(body).not.toHaveProperty("lease");
  });

  it("says that the answer is cut off if the model's reply reached its longest length", async () => {
    await using t = await setup();
    const ended = async (truncated: boolean) => {
      const runId = await t.accepted("una");
      await t.agent.take(runId);
      await t.agent.say(runId, started, { ...completed, truncated } as typeof completed);
      return (await t.ask("una", `/v1/runs/${runId}`)).body["truncated"];
    };
    expect([await ended(true), await ended(false)]).toEqual([true, undefined]);
  });

  it("lists every call that has ended: writes first, with outcome, approvers and effect", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    await t.agent.take(runId);
    expect((await t.ask("una", `/v1/runs/${runId}`)).body).not.toHaveProperty("calls");
    const [read, unknown, write] = [`${runId}.1.0`, `${runId}.1.1`, `${runId}.1.2`];
    await t.agent.call(read, { state: "resolved", kind: "read", toolName: "look_up" });
    await t.agent.call(unknown, { state: "resolved", kind: "write", toolName: "send_mail", approvedBy: ["policy"] });
    await t.agent.call(write, { state: "resolved", kind: "write", toolName: "restart", approvedBy: ["ana"], effect: "Restarts pay." });
    const ended = (callId: string, tool: string, status: "ok" | "outcome_unknown"): RunEvent => ({
      type: "call.resolved",
      at: START,
      callId,
      tool,
      status,
      latencyMs: 1,
      content: "",
      usage: { inputTokens: 0, outputTokens: 0, modelCalls: 0, toolCalls: 1 },
    });
    await t.agent.say(runId, ended(read, "look_up", "ok"), ended(unknown, "send_mail", "outcome_unknown"), ended(write, "restart", "ok"));
    expect((await t.ask("una", `/v1/runs/${runId}`)).body["calls"]).toEqual([
      { callId: write, tool: "restart", kind: "write", outcome: "ok", approvedBy: ["ana"], effect: "Restarts pay." },
      {
        callId: unknown,
        tool: "send_mail",
        kind: "write",
        outcome: "outcome_unknown",
        approvedBy: ["policy"],
        effect: 'Runs the tool "send_mail".',
      },
      { callId: read, tool: "look_up", kind: "read", outcome: "ok", effect: null },
    ]);
  });

  it.each<{ who: Person; status: number; why: string }>([
    { who: "una", status: 200, why: "it is hers" },
    { who: "otto", status: 200, why: "he operates the tenant" },
    { who: "ugo", status: 404, why: "it is another's of the tenant" },
    { who: "olga", status: 404, why: "she operates another tenant" },
    { who: "amy", status: 403, why: "approvers have no business here" },
  ])("answers $who with $status: $why", async ({ who, status }) => {
    await using t = await setup();
    const runId = await t.accepted("una");
    for (const route of [`/v1/runs/${runId}`, `/v1/runs/${runId}/cancel`]) {
      const answer = await t.ask(who, route, route.endsWith("cancel") ? POST : {});
      expect(answer.status).toBe(status === 200 && route.endsWith("cancel") ? 202 : status);
      if (status !== 200) problemOf(answer);
    }
  });

  it.each([
    "v2",
    "rn_05_short",
    `${NO_RUN}~x`,
    `${NO_RUN}.1.1`,
    encodeURIComponent("../origin"),
    encodeURIComponent("<b>"),
    "%00",
    "x".repeat(280),
    NO_RUN,
  ])("has no run %j", async (id) => {
    await using t = await setup();
    expect(problemOf(await t.ask("una", `/v1/runs/${id}`))).toEqual({ status: 404, code: "not_found" });
  });
});

describe("a run that its agent keeps no longer", () => {
  it("is gone, not accepted again", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    t.clock.now += 49 * 3_600_000;
    expect(problemOf(await t.ask("una", `/v1/runs/${runId}`))).toEqual({ status: 410, code: "expired" });
  });
});

describe("POST /v1/runs/{id}/cancel", () => {
  it("is accepted for the agent, which is notified at once", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    await t.agent.take(runId);
    const { status, body } = await t.ask("una", `/v1/runs/${runId}/cancel`, POST);
    expect(status).toBe(202);
    expect(body).toMatchObject({ runId, status: "ready" });
    await until(() => t.wakes.length === 2);
    expect(t.wakes.map(({ body: wake }) => JSON.parse(wake))).toContainEqual({ runId, entryId: `${runId}!cancel` });
    const { documents } = await t.store.read([keys.inbox(shardOf(runId), `${runId}!cancel`)]);
    expect(documents[0]?.value).toEqual({
      kind: "cancel",
      entryId: `${runId}!cancel`,
      runId,
      agent: "default",
      by: "una",
      acceptedAt: START,
    });
  });

  it("is one request however often it is sent, and whoever sends it", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    await t.agent.take(runId);
    const racing = await Promise.all([t.ask("una", `/v1/runs/${runId}/cancel`, POST), t.ask("una", `/v1/runs/${runId}/cancel`, POST)]);
    t.clock.now += 1000;
    const later = await t.ask("otto", `/v1/runs/${runId}/cancel`, { ...POST, body: {} });
    expect([...racing, later].map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(later.body).toEqual(racing[0]?.body);
    const { documents } = await t.store.read([keys.inbox(shardOf(runId), `${runId}!cancel`)]);
    expect(documents[0]?.value).toMatchObject({ by: "una", acceptedAt: START });
  });

  it("may come before the agent has taken the run", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    expect(await t.ask("una", `/v1/runs/${runId}/cancel`, POST)).toMatchObject({ status: 202, body: { status: "accepted" } });
  });

  it("shows that the run is being cancelled while its open calls end", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    await t.agent.take(runId, { cancel: { entryId: `${runId}!cancel`, by: "una", at: START } });
    expect((await t.ask("una", `/v1/runs/${runId}`)).body["status"]).toBe("cancelling");
  });

  it("is too late for a run that has ended otherwise, and is accepted for a cancelled one", async () => {
    await using t = await setup();
    const done = await t.accepted();
    await t.agent.take(done);
    await t.agent.say(done, completed);
    const late = await t.ask("una", `/v1/runs/${done}/cancel`, POST);
    expect(problemOf(late)).toEqual({ status: 409, code: "run_ended" });
    expect(late.body["detail"]).toBe("The run has already ended: done.");

    const stopped = await t.accepted();
    await t.agent.take(stopped);
    await t.agent.say(stopped, cancelled);
    expect(await t.ask("una", `/v1/runs/${stopped}/cancel`, POST)).toMatchObject({ status: 200, body: { status: "cancelled" } });
  });

  it.each([{ reason: "enough" }, [], "null"])("accepts no body: %j", async (body) => {
    await using t = await setup();
    const runId = await t.accepted();
    const answer = await t.ask("una", `/v1/runs/${runId}/cancel`, { ...POST, body });
    // JSON's null is not an empty body either.
    if (body === "null") expect(answer.status).toBe(202);
    else expect(problemOf(answer)).toEqual({ status: 400, code: "invalid_request" });
  });
});

describe("GET /v1/runs/{id}/events", () => {
  it("is for those who ask for server-sent events", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    const answer = await t.ask("una", `/v1/runs/${runId}/events`, { headers: { accept: "application/json" } });
    expect(problemOf(answer)).toEqual({ status: 406, code: "not_acceptable" });
  });

  it.each([
    { what: "another run's", id: () => `${NO_RUN}:1` },
    { what: "a number alone", id: () => "3" },
    { what: "a negative one", id: (runId: string) => `${runId}:-1` },
    { what: "one with a fraction", id: (runId: string) => `${runId}:1.5` },
    { what: "one without a number", id: (runId: string) => `${runId}:` },
    { what: "one that is too large", id: (runId: string) => `${runId}:1234567890123456` },
    { what: "an event that has not happened", id: (runId: string) => `${runId}:7` },
  ])("refuses a Last-Event-ID that is not its own: $what", async ({ id }) => {
    await using t = await setup();
    const runId = await t.accepted();
    const answer = await t.ask("una", `/v1/runs/${runId}/events`, { headers: { accept: "text/event-stream", "last-event-id": id(runId) } });
    expect(problemOf(answer)).toEqual({ status: 400, code: "invalid_request" });
  });

  it.each<{ who: Person; status: number }>([
    { who: "ugo", status: 404 },
    { who: "olga", status: 404 },
    { who: "amy", status: 403 },
  ])("answers $who, who may not see the run, with $status", async ({ who, status }) => {
    await using t = await setup();
    const runId = await t.accepted("una");
    expect(problemOf(await t.ask(who, `/v1/runs/${runId}/events`, { headers: { accept: "text/event-stream" } })).status).toBe(status);
  });
});
