import { describe, expect, it } from "vitest";
import { type Person, setup } from "../testing/approvals-under-test.ts";
import { bigRefund } from "../testing/writes-under-test.ts";

// The table has every route and every kind of caller, with the expected answer. The approver rita has asked for the write in the tenant acme. In this
// tenant, amy may approve it and cat may not, otto is the operator, una a user, and alma an Alertmanager. The approver zed belongs to another tenant.
// The posted body is a decision, which the other routes cannot read. Slack's route gets a form that Slack did not sign. A route that is not in this table fails the test.
const TABLE = `
                                    stranger  wrong-key  una  alma  otto  amy  cat  rita  zed
  GET  /v1/approvals                401       401        403  403   200   200  200  200   200
  GET  /v1/approvals/:id            401       401        403  403   200   200  200  200   404
  GET  /v1/approvals/:id/evidence   401       401        403  403   200   403  403  403   403
  POST /v1/approvals/:id/decision   401       401        403  403   403   200  403  403   404
  POST /v1/approvals/decisions      401       401        403  403   403   400  400  400   400
  POST /v1/hooks/:id                401       401        401  401   401   401  401  401   401
  GET  /v1/audit                    401       401        403  403   200   403  403  403   403
  GET  /v1/audit/checkpoints        401       401        403  403   200   403  403  403   403
  POST /v1/slack/interactions       401       401        401  401   401   401  401  401   401
  GET  /v1/era                      401       401        403  403   200   200  200  200   200
  POST /v1/era/raise                401       401        403  403   400   403  403  403   403
  POST /v1/era/resume               401       401        403  403   400   403  403  403   403
  GET  /v1/writes                   401       401        403  403   200   403  403  403   403
  GET  /v1/writes/:id               401       401        403  403   404   403  403  403   403
  POST /v1/writes/:id/enable        401       401        403  403   400   403  403  403   403
  POST /v1/writes/:id/disable       401       401        403  403   400   403  403  403   403
  POST /v1/writes/:id/tier          401       401        403  403   400   403  403  403   403
  POST /v1/tools/:id/remove         401       401        403  403   400   403  403  403   403
  GET  /v1/refused                  401       401        403  403   200   403  403  403   403
  POST /v1/refused/adopt            401       401        403  403   400   403  403  403   403
  GET  /v1/seals                    401       401        403  403   200   403  403  403   403
  POST /v1/seals/again              401       401        403  403   400   403  403  403   403
  GET  /v1/webhooks                 401       401        403  403   200   403  403  403   403
  POST /v1/webhooks/:id/send        401       401        403  403   400   403  403  403   403
  GET  /v1/security                 401       401        403  403   200   403  403  403   403
  GET  /.well-known/jwks.json       200       200        200  200   200   200  200  200   200
  GET  /healthz                     200       200        200  200   200   200  200  200   200
  GET  /readyz                      200       200        200  200   200   200  200  200   200
  GET  /openapi.json                200       200        200  200   200   200  200  200   200
  GET  /docs                        200       200        200  200   200   200  200  200   200
`;

const [head = "", ...lines] = TABLE.trim().split("\n");
const COLUMNS = head.trim().split(/\s+/);
const ROWS = lines.map((line) => {
  const [method = "", url = "", ...statuses] = line.trim().split(/\s+/);
  return { method, url, statuses: statuses.map(Number) };
});

describe("the routes of approvals", () => {
  it("are exactly those of the table", async () => {
    await using t = await setup();
    // The routes of the approval page have a table of their own, because people sign in there.
    const served = t.routes.filter(({ page }) => page === undefined).map(({ method, url }) => `${method} ${url}`);
    expect(served.toSorted()).toEqual(ROWS.map(({ method, url }) => `${method} ${url}`).toSorted());
    expect(ROWS.every(({ statuses }) => statuses.length === COLUMNS.length)).toBe(true);
  });

  it.each(ROWS)("answer everybody as the table says: $method $url", async ({ method, url, statuses }) => {
    await using t = await setup();
    const seen: number[] = [];
    for (const [n, who] of COLUMNS.entries()) {
      const id = await t.hold(bigRefund(n + 1));
      // Only amy gets a token. The others try an invented one.
      const token = who === "amy" ? await t.token("amy", id) : "a-token-that-was-never-given-out";
      const headers = who === "wrong-key" ? { authorization: "Bearer nobody-has-this" } : {};
      const isForm = url.startsWith("/v1/slack/");
      const posted = {
        method,
        body: isForm ? "payload=%7B%7D" : JSON.stringify({ decision: "deny", token }),
        headers: { ...headers, "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json" },
      };
      const answer = await t.request(personOf(who), url.replace(":id", id), method === "POST" ? posted : { headers });
      if (answer.status >= 400) expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
      await answer.body?.cancel();
      seen.push(answer.status);
    }
    expect(Object.fromEntries(COLUMNS.map((who, i) => [who, seen[i]]))).toEqual(
      Object.fromEntries(COLUMNS.map((who, i) => [who, statuses[i]])),
    );
  });
});

function personOf(who: string): Person | null {
  return who === "stranger" || who === "wrong-key" ? null : (who as Person);
}
