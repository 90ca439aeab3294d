import { describe, expect, it } from "vitest";
import { withOidc } from "../testing/oidc-under-test.ts";
import { browserOf } from "../testing/page-under-test.ts";
import { bigRefund } from "../testing/writes-under-test.ts";

// The table has every route of the approval page and every kind of visitor, with the expected answer. Everybody except the stranger and the bearer tries to sign
// in first. The bearer only sends a valid key in `Authorization`. rita has asked for the write, amy may approve it, cat may not, and otto is the operator. una
// is a user and alma an Alertmanager. zed is an approver of another tenant. Except at `/sign-in`, everybody posts the fields of amy's
// forms, which are for her session only.
// Approvals has a provider of OIDC, from which nobody comes back. A route that is not in this table fails the test.
const TABLE = `
                                 stranger  wrong-key  bearer  una  alma  otto  amy  cat  rita  zed
  GET  /                         303       303        303     303  303   303   303  303  303   303
  GET  /sign-in/oidc             303       303        303     303  303   303   303  303  303   303
  GET  /sign-in/oidc/callback    401       401        401     401  401   401   401  401  401   401
  GET  /sign-in                  200       200        200     200  200   200   200  200  200   200
  POST /sign-in                  401       401        401     403  403   303   303  303  303   303
  POST /sign-out                 303       303        303     303  303   403   303  403  403   403
  GET  /approvals                303       303        303     303  303   200   200  200  200   200
  GET  /approvals/history        303       303        303     303  303   200   200  200  200   200
  GET  /approvals/:id            303       303        303     303  303   200   200  200  200   404
  GET  /approvals/:id/edit       303       303        303     303  303   403   200  403  403   404
  POST /approvals/:id/edit       401       401        401     401  401   403   200  403  403   403
  POST /approvals/:id/reveal     401       401        401     401  401   403   200  403  403   403
  POST /approvals/:id/decision   401       401        401     401  401   403   303  403  403   403
`;

const [head = "", ...lines] = TABLE.trim().split("\n");
const COLUMNS = head.trim().split(/\s+/);
const ROWS = lines.map((line) => {
  const [method = "", url = "", ...statuses] = line.trim().split(/\s+/);
  return { method, url, statuses: statuses.map(Number) };
});

describe("the routes of the approval page", () => {
  it("are exactly those of the table", async () => {
    await using o = await withOidc();
    const { t } = o;
    const served = t.routes.filter(({ page }) => page !== undefined).map(({ method, url }) => `${method} ${url}`);
    expect(served.toSorted()).toEqual(ROWS.map(({ method, url }) => `${method} ${url}`).toSorted());
    expect(ROWS.every(({ statuses }) => statuses.length === COLUMNS.length)).toBe(true);
  });

  it.each(ROWS)("answer everybody as the table says: $method $url", async ({ method, url, statuses }) => {
    await using o = await withOidc();
    const { t } = o;
    const seen: number[] = [];
    for (const [n, who] of COLUMNS.entries()) {
      const id = await t.hold({ ...bigRefund(n + 1), args: { amount: 149.99, order: "anna@example.com" } });
      const path = url.replace(":id", id);
      const amy = browserOf(t);
      await amy.signIn("amy");
      await amy.open(`/approvals/${id}`);
      const browser = who === "amy" ? amy : browserOf(t, who === "bearer" ? { authorization: "Bearer key-amy" } : {});
      if (who !== "amy" && who !== "stranger" && who !== "bearer") await browser.signIn(who);
      const answer = method === "GET" ? await browser.open(path) : await browser.post(path, fieldsOf(url, who, amy, id));
      expect(answer.headers["content-security-policy"]).toMatch(/^default-src 'none'/);
      if (answer.status !== 303) expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
      seen.push(answer.status);
    }
    expect(Object.fromEntries(COLUMNS.map((who, i) => [who, seen[i]]))).toEqual(
      Object.fromEntries(COLUMNS.map((who, i) => [who, statuses[i]])),
    );
  });
});

function fieldsOf(url: string, who: string, amy: ReturnType<typeof browserOf>, id: string): Record<string, string> {
  switch (url) {
    case "/sign-in":
      return { key: who === "stranger" || who === "bearer" ? "" : `key-${who}` };
    case "/sign-out":
      return amy.form("/sign-out");
    case "/approvals/:id/reveal":
      return amy.form(`/approvals/${id}/reveal`, { pointer: "/effect" });
    case "/approvals/:id/edit": {
      const { form = "", argumentsHash = "" } = amy.form(`/approvals/${id}/decision`, { decision: "approve" });
      return { form, argumentsHash, v0: "20" };
    }
    default:
      return amy.form(`/approvals/${id}/decision`, { decision: "deny" });
  }
}
