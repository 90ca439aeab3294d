import { describe, expect, it } from "vitest";
import { setup } from "../testing/approvals-under-test.ts";
import { withOidc } from "../testing/oidc-under-test.ts";
import { browserOf } from "../testing/page-under-test.ts";
import { bigRefund, bigWire } from "../testing/writes-under-test.ts";

describe("signing in at a provider of OIDC", () => {
  it("leads from the link to the provider and back to the approval, and records the person's decision", async () => {
    await using o = await withOidc();
    const id = await o.t.hold(bigRefund(1));
    const browser = browserOf(o.t);
    const shown = await browser.open(`/sign-in?to=${id}`);
    expect(shown.text).toContain(`<a class="button" href="/sign-in/oidc?to=${id}">Sign in with Example login</a>`);
    expect(shown.text).toContain('name="key"');
    const back = await o.signIn(browser, "ana", { to: id });
    expect([back.status, back.text]).toEqual([200, expect.stringContaining(`content="0;url=/approvals/${id}"`)]);
    expect((await browser.decide(id, "approve")).status).toBe(303);
    expect(await o.t.stored(id)).toMatchObject({
      status: "approved",
      decisions: [{ approver: "oidc:ana", decision: "approve", via: "page" }],
    });
    expect((await o.t.audit()).filter(({ event }) => event === "decision")).toMatchObject([{ by: "oidc:ana", via: "page" }]);
  });

  it("uses the code flow with PKCE, and binds it to the browser with a cookie that the provider's redirect may carry", async () => {
    await using o = await withOidc();
    const { status, location = "", headers } = await browserOf(o.t).open("/sign-in/oidc");
    expect(status).toBe(303);
    const asked = new URL(location);
    expect(asked.origin).toBe(o.server.issuer);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      client_id: "toolbus-approvals",
      response_type: "code",
      redirect_uri: `${o.t.url}/sign-in/oidc/callback`,
      scope: "openid groups email",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    const cookie = headers["set-cookie"]?.[0] ?? "";
    expect(cookie).toMatch(/^toolbus-approvals-flow=[\w-]{43}\.\d+\.; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it("gives a session cookie for this site only, and removes the cookie of the sign-in", async () => {
    await using o = await withOidc();
    const browser = browserOf(o.t);
    const { headers } = await o.signIn(browser, "ana");
    const cookies = (headers["set-cookie"] ?? []).toSorted();
    expect(cookies).toEqual([
      expect.stringMatching(/^toolbus-approvals-flow=; Max-Age=0; Path=\/; /),
      expect.stringMatching(/^toolbus-approvals=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect(browser.cookie).toMatch(/^toolbus-approvals=[\w-]{43}$/);
  });

  it("returns over HTTPS to the public address, with cookies that only this host can set", async () => {
    await using o = await withOidc({ env: { APPROVALS_PUBLIC_URL: "https://approvals.example.com" } });
    const { location = "", headers } = await browserOf(o.t, { host: "approvals.example.com" }).open("/sign-in/oidc");
    expect(new URL(location).searchParams.get("redirect_uri")).toBe("https://approvals.example.com/sign-in/oidc/callback");
    expect(headers["set-cookie"]?.[0]).toMatch(/^__Host-toolbus-approvals-flow=.*; Secure; SameSite=Lax$/);
  });

  it("is refused at an address from which the provider could not send anybody back safely", async () => {
    await using plain = await withOidc();
    const elsewhere = browserOf(plain.t, { host: "approvals.example.com" });
    for (const path of ["/sign-in/oidc", "/sign-in/oidc/callback?code=x&state=y"]) {
      const refused = await elsewhere.open(path);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("Not over plain HTTP")]);
    }
    await using allowed = await withOidc({ env: { APPROVALS_PAGE_OVER_HTTP: "true" } });
    const unknown = await browserOf(allowed.t, { host: "approvals.example.com" }).open("/sign-in/oidc");
    expect([unknown.status, unknown.text]).toEqual([403, expect.stringContaining("An operator sets APPROVALS_PUBLIC_URL")]);
  });

  it.each([{ thinTokens: false }, { thinTokens: true }])("finds the groups wherever the provider has them: %o", async (server) => {
    await using o = await withOidc({ server });
    const browser = browserOf(o.t);
    expect((await o.signIn(browser, "ana")).status).toBe(200);
    expect((await browser.open("/approvals")).status).toBe(200);
    expect(o.server.requests.includes("GET /me")).toBe(server.thinTokens);
  });

  it("counts as a wrong key for somebody who cancels, and is limited for each person", async () => {
    await using o = await withOidc({ env: { AUTH_FAILURES_PER_MINUTE: "1" } });
    const browser = browserOf(o.t);
    const cancelled = await browser.open(await o.returning(browser));
    expect([cancelled.status, cancelled.text]).toEqual([401, expect.stringContaining("Example login did not sign you in.")]);
    const again = await browser.open(await o.returning(browser));
    expect([again.status, again.text]).toEqual([429, expect.stringContaining("Too many sign-ins from this address failed.")]);
    const often = [];
    for (let n = 0; n < 11; n++) often.push((await o.signIn(browser, "ana")).status);
    expect(often).toEqual([...Array(10).fill(200), 429]);
  });
});

describe("the rights of a person of the provider", () => {
  it("are those of the person's groups", async () => {
    await using o = await withOidc();
    const [refund, wire] = [await o.t.hold(bigRefund(1)), await o.t.hold(bigWire(2))];
    const [ben, olga] = [browserOf(o.t), browserOf(o.t)];
    await o.signIn(ben, "ben");
    await o.signIn(olga, "olga");
    expect((await ben.open(`/approvals/${wire}`)).text).toContain("You may not decide this");
    expect((await olga.open(`/approvals/${refund}`)).text).toContain("You may not decide this");
    expect((await ben.decide(refund, "approve")).status).toBe(303);
    expect(await o.t.stored(refund)).toMatchObject({ status: "approved", decisions: [{ approver: "oidc:ben" }] });
  });

  it("include the groups of the policy", async () => {
    const policy = "version: 1\ntiers: { high: { groups: { finance: 1 } } }\n";
    await using o = await withOidc({ policy });
    const id = await o.t.hold(bigRefund(1));
    const [ana, ben] = [browserOf(o.t), browserOf(o.t)];
    await o.signIn(ana, "ana");
    await o.signIn(ben, "ben");
    expect((await ben.open(`/approvals/${id}`)).text).toContain("This still needs 1 person of the group &#34;finance&#34;.");
    expect((await ana.decide(id, "approve")).status).toBe(303);
  });

  it("are only in the tenant of the file", async () => {
    await using o = await withOidc({ file: { tenant: "other" } });
    const id = await o.t.hold(bigRefund(1));
    const browser = browserOf(o.t);
    await o.signIn(browser, "ana");
    expect((await browser.open(`/approvals/${id}`)).status).toBe(404);
  });

  it("do not exist without a mapped group: the page says whom to ask, and nothing is stored", async () => {
    let commits = 0;
    await using o = await withOidc({
      wrapStore: (state) => ({ ...state, commit: (shard, change) => (commits++, state.commit(shard, change)) }),
    });
    await o.t.chained();
    const browser = browserOf(o.t);
    const before = commits;
    const refused = await o.signIn(browser, "nora");
    expect(refused.status).toBe(403);
    expect(refused.text).toContain("You are signed in at Example login as <bdi>nora</bdi>, but have no role here.");
    expect(refused.text).toContain("Ask an operator to map one of your groups.");
    expect([browser.cookie, commits]).toEqual(["", before]);
    expect((await browser.open("/approvals")).location).toBe("/sign-in");
  });

  it("do not include deciding about a write that the same person asked for under another name", async () => {
    await using o = await withOidc();
    const id = await o.t.hold(bigRefund(1));
    const browser = browserOf(o.t);
    await o.signIn(browser, "sub-of-rita");
    const shown = await browser.open(`/approvals/${id}`);
    expect(shown.text).toContain("<bdi>rita</bdi>");
    expect(shown.text).toContain("You may not decide this: You asked for this yourself");
    expect(shown.text).not.toContain('name="token"');
  });

  it("can come from the file for a provider without groups", async () => {
    await using o = await withOidc();
    const id = await o.t.hold(bigRefund(1));
    const browser = browserOf(o.t);
    await o.signIn(browser, "gus");
    await browser.decide(id, "deny", { comment: "no" });
    expect(await o.t.stored(id)).toMatchObject({ status: "rejected", decisions: [{ approver: "gus" }] });
  });

  it("belong to an e-mail address only if the provider has verified it", async () => {
    await using o = await withOidc({ file: { personClaim: "email" } });
    const [ana, ben] = [browserOf(o.t), browserOf(o.t)];
    await o.signIn(ana, "ana");
    expect((await ana.open("/approvals")).text).toContain("<bdi>oidc:ana@example.com</bdi>");
    const refused = await o.signIn(ben, "ben");
    expect([refused.status, refused.text]).toEqual([401, expect.stringContaining("The provider has not verified your e-mail address")]);
    expect((await ben.open("/approvals")).location).toBe("/sign-in");
  });
});

describe("signing in with a key", () => {
  it("can be switched off", async () => {
    await using o = await withOidc({ env: { APPROVALS_PAGE_KEY_SIGN_IN: "false" } });
    const browser = browserOf(o.t);
    expect((await browser.open("/sign-in")).text).not.toContain('name="key"');
    const refused = await browser.signIn("amy");
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("Nobody may sign in with a key here.")]);
    expect(browser.cookie).toBe("");
    expect((await o.signIn(browser, "ana")).status).toBe(200);
  });

  it("cannot be switched off without a provider", async () => {
    await expect(setup({ env: { APPROVALS_PAGE_KEY_SIGN_IN: "false" } })).rejects.toThrow("name a provider in APPROVALS_OIDC_FILE");
  });
});
