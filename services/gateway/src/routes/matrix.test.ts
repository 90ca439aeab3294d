import { describe, expect, it } from "vitest";
import { completed, started } from "../testing/agent-under-test.ts";
import { type Asking, type Person, setup, START } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

// The table has every route and every kind of caller, with the expected answer. The objects belong to una, of the tenant acme. In this tenant, ugo is
// another user, otto is the operator and amy is an approver. alma is an Alertmanager of this tenant, and rolf is a deployment system. In another
// tenant, uma is a user and olga is the operator. A route that is not in this table fails the test.
const TABLE = `
                                        stranger  wrong-key  una  ugo  otto  amy  alma  rolf  uma  olga
  POST /v1/conversations                401       401        201  201  201   403  403   403   201  201
  GET  /v1/conversations                401       401        200  200  200   403  403   403   200  200
  GET  /v1/conversations/:id            401       401        200  404  200   403  403   403   404  404
  DELETE /v1/conversations/:id          401       401        409  404  403   403  403   403   404  404
  GET  /v1/conversations/:id/messages   401       401        200  404  200   403  403   403   404  404
  POST /v1/conversations/:id/messages   401       401        202  404  403   403  403   403   404  404
  GET  /v1/conversations/:id/context    401       401        200  404  200   403  403   403   404  404
  POST /v1/messages                     401       401        202  202  202   403  403   403   202  202
  POST /v1/investigations               401       401        202  202  202   403  403   403   202  202
  GET  /v1/investigations/:id           401       401        200  404  200   403  403   403   404  404
  POST /v1/triggers/alertmanager        401       401        403  403  403   403  202   403   403  403
  POST /v1/triggers/release             401       401        403  403  403   403  403   202   403  403
  GET  /v1/runs                         401       401        200  200  200   403  403   403   200  200
  GET  /v1/runs/:id                     401       401        200  404  200   403  403   403   404  404
  GET  /v1/runs/:id/events              401       401        200  404  200   403  403   403   404  404
  GET  /v1/runs/:id/history             401       401        200  404  200   403  403   403   404  404
  GET  /v1/runs/:id/record              401       401        200  404  200   403  403   403   404  404
  POST /v1/runs/:id/cancel              401       401        202  404  202   403  403   403   404  404
  POST /v1/runs/:id/answers             401       401        202  404  403   403  403   403   404  404
  POST /v1/runs/:id/question-answers   401       401        409  404  403   403  403   403   404  404
  POST /v1/runs/:id/stream-ticket       401       401        201  404  201   403  403   403   404  404
  GET  /v1/calls/:id/evidence           401       401        403  403  200   403  403  403   403  404
  GET  /v1/calls/:id/media              401       401        404  404  404   403  403  403   404  404
  GET  /v1/dead-letters                 401       401        403  403  200   403  403   403   403  200
  GET  /v1/dead-letters/:id             401       401        403  403  200   403  403   403   403  404
  POST /v1/dead-letters/:id/dismiss     401       401        403  403  200   403  403   403   403  404
  POST /v1/dead-letters/:id/replay      401       401        403  403  202   403  403   403   403  404
  GET  /v1/webhooks                     401       401        403  403  200   403  403   403   403  200
  POST /v1/webhooks/:id/send            401       401        403  403  404   403  403   403   403  404
  GET  /v1/tools                        401       401        200  200  200   403  403   403   200  200
  POST /mcp                             401       401        200  200  200   403  403  403   200  200
  GET  /v1/agents                       401       401        200  200  200   403  403  403   200  200
  GET  /healthz                         200       200        200  200  200   200  200   200   200  200
  GET  /readyz                          200       200        200  200  200   200  200   200   200  200
  GET  /openapi.json                    200       200        200  200  200   200  200   200   200  200
  GET  /docs                            200       200        200  200  200   200  200   200   200  200
`;

const [head = "", ...lines] = TABLE.trim().split("\n");
const COLUMNS = head.trim().split(/\s+/);
const ROWS = lines.map((line) => {
  const [method = "", url = "", ...statuses] = line.trim().split(/\s+/);
  return { method, url, statuses: statuses.map(Number) };
});

describe("the routes of the gateway", () => {
  it("are exactly those of the table", async () => {
    await using t = await setup();
    const served = t.routes.map(({ method, url }) => `${method} ${url}`);
    expect(served.toSorted()).toEqual(ROWS.map(({ method, url }) => `${method} ${url}`).toSorted());
    expect(ROWS.every(({ statuses }) => statuses.length === COLUMNS.length)).toBe(true);
  });

  it.each(ROWS)("answer everybody as the table says: $method $url", async ({ method, url, statuses }) => {
    await using t = await setup();
    const seen: number[] = [];
    for (const who of COLUMNS) {
      const { conversationId, runId, callId, letterId } = await ofUna(t);
      const address = url.replace(
        ":id",
        url.startsWith("/v1/conversations")
          ? conversationId
          : url.startsWith("/v1/dead-letters")
            ? letterId
            : url.startsWith("/v1/calls")
              ? callId
              : url.endsWith("/events")
                ? await ended(t)
                : runId,
      );
      const query = url.endsWith("/media") ? `?blob=sha256-${"0".repeat(64)}` : "";
      const answer = await t.ask(personOf(who), `${address}${query}`, askingOf(method, url, callId, who));
      if (answer.status >= 400) problemOf(answer);
      seen.push(answer.status);
    }
    expect(Object.fromEntries(COLUMNS.map((who, i) => [who, seen[i]]))).toEqual(
      Object.fromEntries(COLUMNS.map((who, i) => [who, statuses[i]])),
    );
  });

  it("give the same answer for another caller's objects and for missing ones", async () => {
    await using t = await setup();
    const { conversationId, runId } = await ofUna(t);
    for (const [id, none, url] of [
      [conversationId, "cv_05_01JD0000000000000000000001", "/v1/conversations/"],
      [runId, "rn_05_01JD0000000000000000000001", "/v1/runs/"],
    ] as const) {
      const others = await t.ask("ugo", url + id);
      const nobodys = await t.ask("ugo", url + none);
      expect(others.text.replaceAll(id, "ID")).toBe(nobodys.text.replaceAll(none, "ID"));
    }
  });
});

type T = Awaited<ReturnType<typeof setup>>;

/** Makes a conversation of una's with a run that asks a question, and a dead letter. */
async function ofUna(t: T) {
  const conversationId = await t.conversation("una");
  const runId = await t.said("una", conversationId);
  const callId = `${runId}.1.0`;
  await t.agent.take(runId);
  await t.agent.call(callId, { state: "asked", arguments: '{"question":"Which?"}', askExpiresAt: START + 1000 });
  return { conversationId, runId, callId, letterId: await t.letters.keep({ runId }) };
}

/** Makes a run of una's that has ended, so that its stream ends too. */
async function ended(t: T): Promise<string> {
  const runId = await t.accepted("una");
  await t.agent.take(runId);
  await t.agent.say(runId, started, completed);
  return runId;
}

function personOf(who: string): Person | null {
  return who === "stranger" || who === "wrong-key" ? null : (who as Person);
}

function askingOf(method: string, url: string, callId: string, who: string): Asking {
  const headers = who === "wrong-key" ? { authorization: "Bearer tb_user_nobody-has-this-key" } : {};
  if (url === "/mcp")
    return {
      method,
      headers: { ...headers, accept: "application/json, text/event-stream" },
      body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    };
  if (method !== "POST") return { method, headers };
  if (url === "/v1/messages") return { method, headers, body: { content: "Hello." } };
  if (url.endsWith("/messages")) return { method, headers, body: { text: "Hello." } };
  if (url.endsWith("/question-answers")) return { method, headers, body: { callId, questionId: `q_${"0".repeat(32)}`, action: "decline" } };
  if (url.endsWith("/answers")) return { method, headers, body: { callId, text: "That." } };
  if (url.endsWith("/alertmanager")) return { method, headers, body: { version: "4", groupKey: "{}", alerts: [] } };
  return { method, headers, body: url === "/v1/investigations" || url.endsWith("/release") ? { releaseId: "v2" } : {} };
}
