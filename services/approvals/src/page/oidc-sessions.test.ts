import { describe, expect, it } from "vitest";
import { until } from "../testing/approvals-under-test.ts";
import { withOidc } from "../testing/oidc-under-test.ts";
import { browserOf } from "../testing/page-under-test.ts";
import { bigRefund } from "../testing/writes-under-test.ts";

const MINUTE = 60_000;

describe("a session that began at the provider", () => {
  it("survives a restart, ends after 8 hours, and ends everywhere when the person signs out", async () => {
    await using o = await withOidc();
    const [browser, copy] = [browserOf(o.t), browserOf(o.t)];
    await o.signIn(browser, "ana");
    await o.t.restart();
    expect((await browser.open("/approvals")).status).toBe(200);
    copy.cookie = browser.cookie;
    await browser.post("/sign-out", browser.form("/sign-out"));
    expect((await copy.open("/approvals")).location).toBe("/sign-in");
    await o.signIn(browser, "ana");
    o.t.clock.now += 8 * 60 * MINUTE - 1;
    expect((await browser.open("/approvals")).status).toBe(200);
    o.t.clock.now += 1;
    expect((await browser.open("/approvals")).location).toBe("/sign-in");
  });

  it.each<{ what: string; part: Parameters<Awaited<ReturnType<typeof withOidc>>["write"]>[0] }>([
    { what: "the group has no rights any more", part: { groups: { operators: { role: "operator" } }, people: {} } },
    { what: "the person becomes another principal", part: { people: { ben: { principal: "ben" } } } },
    { what: "the tenant changes", part: { tenant: "other" } },
    { what: "the client is another one", part: { clientId: "somebody-else" } },
  ])("ends when $what", async ({ part }) => {
    await using o = await withOidc();
    const browser = browserOf(o.t);
    await o.signIn(browser, "ben");
    expect((await browser.open("/approvals")).status).toBe(200);
    await o.write(part);
    await o.t.restart();
    expect((await browser.open("/approvals")).location).toBe("/sign-in");
  });

  it("gets the present rights of its groups", async () => {
    await using o = await withOidc();
    const id = await o.t.hold(bigRefund(1));
    const browser = browserOf(o.t);
    await o.signIn(browser, "ben");
    await o.write({ groups: { "refund-desk": { role: "operator" } }, people: {} });
    await o.t.restart();
    expect((await browser.open(`/approvals/${id}`)).text).toContain("You may not decide this");
  });

  it("is stored without a token of the provider and without the cookie", async () => {
    const stored: string[] = [];
    const tokens: string[] = [];
    await using o = await withOidc({
      wrapStore: (state) => ({ ...state, commit: (shard, change) => (stored.push(JSON.stringify(change)), state.commit(shard, change)) }),
      server: { tamper: (token) => (tokens.push(token), token) },
    });
    const browser = browserOf(o.t);
    const path = await o.returning(browser, "ana");
    const flow = browser.cookie.split(/[=.]/)[1] ?? "";
    await browser.open(path);
    const text = stored.join("\n");
    expect(text).toContain('"person":"ana"');
    expect(text).toContain('"providerGroups":["approvers","finance-team"]');
    const { searchParams } = new URL(path, o.t.url);
    const secrets = [browser.cookie.split("=")[1], flow, searchParams.get("code"), searchParams.get("state"), tokens[0]];
    for (const secret of secrets) {
      expect(secret?.length).toBeGreaterThan(20);
      expect(text).not.toContain(secret);
    }
  });
});

describe("a provider that cannot be reached", () => {
  it("stops neither approvals nor signing in with a key, and works again later", async () => {
    await using o = await withOidc();
    o.server.down(true);
    await o.t.restart();
    const browser = browserOf(o.t);
    const failed = await browser.open("/sign-in/oidc");
    expect([failed.status, failed.text]).toEqual([503, expect.stringContaining("Example login cannot be reached now.")]);
    expect((await browser.signIn("amy")).status).toBe(303);
    o.server.down(false);
    o.t.clock.now += 3000;
    await until(async () => (await o.signIn(browser, "ana")).status === 200);
  });

  it("does not count as the fault of the person who comes back from it", async () => {
    await using o = await withOidc({ env: { AUTH_FAILURES_PER_MINUTE: "1" } });
    const browser = browserOf(o.t);
    for (let n = 0; n < 3; n++) {
      const path = await o.returning(browser, "ana");
      o.server.down(true);
      expect((await browser.open(path)).status).toBe(503);
      o.server.down(false);
    }
  });
});
