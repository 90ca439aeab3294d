import { describe, expect, it } from "vitest";
import { apiKeyOf, type Asking, setup } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const MINUTE = 60_000;
const post = (body: Asking["body"] = {}): Asking => ({ method: "POST", body });

describe("the limits of a caller's minute", () => {
  it("count messages and investigations together, and are reset after it", async () => {
    await using t = await setup({ env: { RUNS_PER_MINUTE: "2" } });
    const id = await t.conversation();
    const first = await t.ask("una", "/v1/investigations", post({ releaseId: "v2" }));
    expect([first.headers.get("ratelimit-policy"), first.headers.get("ratelimit")]).toEqual(['"runs";q=2;w=60', '"runs";r=1;t=60']);
    await t.said("una", id);
    t.clock.now += 15_000;
    for (const [url, body] of [
      ["/v1/investigations", { releaseId: "v2" }],
      [`/v1/conversations/${id}/messages`, { text: "a" }],
    ] as const) {
      const refused = await t.ask("una", url, post(body));
      expect(problemOf(refused)).toEqual({ status: 429, code: "rate_limited" });
      expect(refused.headers.get("retry-after")).toBe("45");
      expect(refused.body["detail"]).toBe("This principal may start 2 runs a minute.");
    }
    expect((await t.ask("una", "/v1/runs")).body["runs"]).toHaveLength(2);
    expect((await t.ask("ugo", "/v1/investigations", post({ releaseId: "v2" }))).status).toBe(202);
    t.clock.now += MINUTE;
    expect((await t.ask("una", "/v1/investigations", post({ releaseId: "v2" }))).status).toBe(202);
  });

  it("count new conversations separately", async () => {
    await using t = await setup({ env: { CONVERSATIONS_PER_MINUTE: "1", RUNS_PER_MINUTE: "1" } });
    const id = await t.conversation();
    expect(problemOf(await t.ask("una", "/v1/conversations", post())).code).toBe("rate_limited");
    await t.said("una", id);
  });

  it("count cancels, answers and tickets together", async () => {
    await using t = await setup({ env: { ACTIONS_PER_MINUTE: "2" } });
    const runId = await t.accepted();
    expect((await t.ask("una", `/v1/runs/${runId}/cancel`, post())).status).toBe(202);
    expect((await t.ask("una", `/v1/runs/${runId}/stream-ticket`, post())).status).toBe(201);
    const answer = post({ callId: `${runId}.1.0`, text: "a" });
    expect(problemOf(await t.ask("una", `/v1/runs/${runId}/answers`, answer))).toEqual({ status: 429, code: "rate_limited" });
  });

  it("do not count a malformed request, nor a GET", async () => {
    await using t = await setup({ env: { RUNS_PER_MINUTE: "1" } });
    for (let i = 0; i < 3; i++) {
      expect((await t.ask("una", "/v1/investigations", post({ releaseId: 7 }))).status).toBe(400);
      expect((await t.ask("una", "/v1/runs")).headers.get("ratelimit")).toBeNull();
    }
    expect((await t.ask("una", "/v1/investigations", post({ releaseId: "v2" }))).status).toBe(202);
  });

  it("are shared by all gateways over one store", async () => {
    await using t = await setup({ env: { RUNS_PER_MINUTE: "3" } });
    const other = await t.start();
    const headers = { authorization: `Bearer ${apiKeyOf("una")}`, "content-type": "application/json" };
    const start = (url: string) => fetch(`${url}/v1/investigations`, { method: "POST", headers, body: '{"releaseId":"v2"}' });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => start(i % 2 === 0 ? t.service.url : other.url)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
    await other.stop();
  });

  it("are off if a setting is 0", async () => {
    await using t = await setup({ env: { RUNS_PER_MINUTE: "0" } });
    const answer = await t.ask("una", "/v1/investigations", post({ releaseId: "v2" }));
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([202, null]);
  });

  it("slow down a program that guesses keys", async () => {
    await using t = await setup({ env: { AUTH_FAILURES_PER_MINUTE: "3" } });
    const wrong: Asking = { headers: { authorization: "Bearer guess" } };
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await t.ask(null, "/v1/runs", wrong)).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await t.ask("una", "/v1/runs")).status).toBe(200);
  });
});
