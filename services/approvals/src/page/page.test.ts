import { describe, expect, it } from "vitest";
import { setup, until } from "../testing/approvals-under-test.ts";
import { browserOf } from "../testing/page-under-test.ts";
import { bigRefund, bigWire, call } from "../testing/writes-under-test.ts";

const MINUTE = 60_000;

describe("deciding on the approval page", () => {
  it("lists what waits in the person's tenant, with age, tier, requester and effect", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    t.clock.now += 2 * MINUTE;
    const browser = browserOf(t);
    await browser.signIn("amy");
    const { text } = await browser.open("/approvals");
    expect(text).toContain(`<a class="value" href="/approvals/${id}">Refund $149.99 for order ORD-8821.</a>`);
    expect(text).toContain('<span class="tier high">high</span> <span>pending</span>');
    expect(text).toContain("asked by <bdi>rita</bdi> 2 min ago, expires in 13 min");
    const zed = browserOf(t);
    await zed.signIn("zed");
    expect((await zed.open("/approvals")).text).toContain("Nothing waits for a decision.");
  });

  it("leads through the list page by page", async () => {
    await using t = await setup();
    for (let n = 1; n <= 25; n++) {
      await t.hold(bigRefund(n));
      t.clock.now += 1;
    }
    const browser = browserOf(t);
    await browser.signIn("amy");
    const seen: string[] = [];
    for (let path: string | undefined = "/approvals"; path !== undefined;) {
      const { text } = await browser.open(path);
      seen.push(...[...text.matchAll(/href="\/approvals\/ap_rn_\w+\.(\d+)\.0"/g)].map(([, n = ""]) => n));
      path = /href="([^"]+)">Next page/.exec(text)?.[1];
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => String(n + 1)));
  });

  it("approves by a form, answers a double click and a reload with the same card, and says what was decided", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const browser = browserOf(t);
    await browser.signIn("amy");
    await browser.open(`/approvals/${id}`);
    const fields = { ...browser.form(`/approvals/${id}/decision`, { decision: "approve" }), comment: "It is\r\nfine." };
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push(await browser.post(`/approvals/${id}/decision`, fields));
    expect(answers.map(({ status, location }) => [status, location])).toEqual(Array(3).fill([303, `/approvals/${id}`]));
    const { status, text } = await browser.open(`/approvals/${id}`);
    expect(status).toBe(200);
    expect(text).toContain('role="status"><p>You approved this.</p>');
    expect(text).toContain("<strong>approved</strong>");
    expect(text).not.toContain('name="token"');
    expect(await t.stored(id)).toMatchObject({
      status: "approved",
      decisions: [{ approver: "amy", decision: "approve", via: "page", comment: "It is\nfine." }],
    });
    expect((await t.audit()).filter(({ event }) => event === "decision")).toMatchObject([{ by: "amy", via: "page" }]);
  });

  it("needs two approvers and a ticket for a critical write, and shows how many have approved", async () => {
    await using t = await setup();
    const id = await t.hold(bigWire(1));
    const amy = browserOf(t);
    const ben = browserOf(t);
    await amy.signIn("amy");
    await ben.signIn("ben");
    const missing = await amy.decide(id, "approve", { comment: "typed before" });
    expect(missing.status).toBe(400);
    expect(missing.text).toContain('role="alert"><p>Approving a critical write needs its ticket.</p>');
    expect(missing.text).toContain("typed before</textarea>");
    expect((await amy.decide(id, "approve", { ticket: "T-1" })).status).toBe(303);
    const shown = await amy.open(`/approvals/${id}`);
    expect(shown.text).toContain("<p>You approved this. It needs 1 more approver.</p>");
    expect(shown.text).toContain("<strong>pending, 1 of 2 approvers</strong>");
    expect(shown.text).toContain("You may not decide this: You have already decided this: it needs another approver.");
    expect((await ben.decide(id, "approve")).status).toBe(303);
    expect(await t.stored(id)).toMatchObject({ status: "approved" });
  });

  it("denies with a reason, and sends back only with words about what should change", async () => {
    await using t = await setup();
    const [denied, revised] = [await t.hold(bigRefund(1)), await t.hold(bigRefund(2))];
    const browser = browserOf(t);
    await browser.signIn("amy");
    await browser.decide(denied, "deny", { comment: "Not this week." });
    expect(await t.stored(denied)).toMatchObject({ status: "rejected", decisions: [{ comment: "Not this week." }] });
    const empty = await browser.decide(revised, "revise", { comment: " " });
    expect([empty.status, empty.text]).toEqual([400, expect.stringContaining("Say what should change")]);
    await browser.decide(revised, "revise", { comment: "Refund half." });
    expect(await t.stored(revised)).toMatchObject({ status: "revision_requested" });
  });

  it("says on the card that it expired, that somebody else decided it, or why this person may not decide", async () => {
    await using t = await setup();
    const [expired, decided, own] = [await t.hold(bigRefund(1)), await t.hold(bigRefund(2)), await t.hold(bigRefund(3))];
    const browser = browserOf(t);
    await browser.signIn("amy");
    await browser.open(`/approvals/${decided}`);
    const fields = browser.form(`/approvals/${decided}/decision`, { decision: "approve" });
    await t.decide("ben", decided, "deny", { comment: "no" });
    const late = await browser.post(`/approvals/${decided}/decision`, fields);
    expect(late.status).toBe(409);
    expect(late.text).toContain("<p>This ended as &#34;rejected&#34;.</p>");
    expect(late.text).toContain("<bdi>deny by ben</bdi>");
    await browser.open(`/approvals/${expired}`);
    const old = browser.form(`/approvals/${expired}/decision`, { decision: "approve" });
    t.clock.now += 16 * MINUTE;
    const over = await browser.post(`/approvals/${expired}/decision`, old);
    expect(over.status).toBe(410);
    expect(over.text).toContain("The time to decide is over. The write did not run.");
    expect(over.text).toContain("<strong>expired</strong>");
    const rita = browserOf(t);
    await rita.signIn("rita");
    const again = await t.hold(bigRefund(4));
    expect((await rita.open(`/approvals/${again}`)).text).toContain("You may not decide this: You asked for this yourself");
    expect((await rita.open(`/approvals/${own}`)).text).toContain("<strong>expired</strong>");
  });

  it("shows a page for an unknown approval, and for a store that is down", async () => {
    let down = false;
    await using t = await setup({
      wrapStore: (state) => ({
        ...state,
        async read(keys) {
          if (down) throw new (await import("@toolbus/state")).StoreUnavailable("it is down");
          return state.read(keys);
        },
      }),
    });
    const browser = browserOf(t);
    await browser.signIn("amy");
    for (const path of [`/approvals/ap_${call(9)}`, "/approvals/ap_1"]) {
      const missing = await browser.open(path);
      expect([missing.status, missing.text]).toEqual([404, expect.stringContaining("There is no such approval.")]);
    }
    down = true;
    const broken = await browser.open("/approvals");
    down = false;
    expect(broken.status).toBe(503);
    expect(broken.text).toContain("<p>The state store cannot be reached; nothing was lost.</p>");
    expect((await browser.open("/approvals")).status).toBe(200);
  });

  it("counts decisions with those of the API", async () => {
    await using t = await setup({ env: { DECISIONS_PER_MINUTE: "1" } });
    const [one, two] = [await t.hold(bigRefund(1)), await t.hold(bigRefund(2))];
    const browser = browserOf(t);
    await browser.signIn("amy");
    expect((await browser.decide(one, "deny")).status).toBe(303);
    const limited = await browser.decide(two, "deny");
    expect([limited.status, limited.headers["retry-after"]]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(limited.text).toContain("This principal may decide 1 time a minute.");
  });
});

describe("a masked field on the approval page", () => {
  const asked = { ...bigRefund(1), args: { amount: 149.99, order: "for anna@example.com" } };

  it("is shown alone and only in the answer to its own form, and the audit says who looked at which field", async () => {
    await using t = await setup();
    const id = await t.hold(asked);
    const browser = browserOf(t);
    await browser.signIn("amy");
    const before = await browser.open(`/approvals/${id}`);
    expect(before.text).not.toContain("anna");
    expect(before.text).toContain("for [masked: e-mail address, …@example.com]");
    const shown = await browser.post(`/approvals/${id}/reveal`, browser.form(`/approvals/${id}/reveal`, { pointer: "/arguments/order" }));
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('<mark class="value">for anna@example.com</mark>');
    expect(shown.text.match(/anna/g)).toHaveLength(1);
    expect((await browser.open(`/approvals/${id}`)).text).not.toContain("anna");
    expect((await t.audit()).filter(({ event }) => event === "revealed")).toEqual([
      expect.objectContaining({ by: "amy", approvalId: id, pointer: "/arguments/order", tool: "issue_refund" }),
    ]);
    expect((await browser.decide(id, "approve")).status).toBe(303);
  });

  it("is not shown if the place is no masked field, if the person may not decide, or after the end", async () => {
    await using t = await setup();
    const id = await t.hold(asked);
    const browser = browserOf(t);
    await browser.signIn("amy");
    await browser.open(`/approvals/${id}`);
    const fields = browser.form(`/approvals/${id}/reveal`);
    for (const pointer of ["/arguments/amount", "/arguments", "/requester", "x"])
      expect((await browser.post(`/approvals/${id}/reveal`, { ...fields, pointer })).status).toBe(400);
    await t.decide("ben", id, "deny");
    const late = await browser.post(`/approvals/${id}/reveal`, fields);
    expect([late.status, late.text]).toEqual([403, expect.not.stringContaining("anna")]);
    expect((await t.audit()).filter(({ event }) => event === "revealed")).toEqual([]);
  });
});

describe("a session on the approval page", () => {
  it("sends a person to sign in, and from there to the approval that they opened", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const browser = browserOf(t);
    const sent = await browser.open(`/approvals/${id}`);
    expect([sent.status, sent.location]).toEqual([303, `/sign-in?to=${id}`]);
    await browser.open(`/sign-in?to=${id}`);
    const signedIn = await browser.post("/sign-in", { ...browser.form("/sign-in"), key: "key-amy" });
    expect([signedIn.status, signedIn.location]).toEqual([303, `/approvals/${id}`]);
    for (const to of ["https://evil.example", "//evil.example", "/sign-out", "ap_1"]) {
      const answer = await browser.post("/sign-in", { key: "key-amy", to });
      expect(answer.location).toBe("/approvals");
      expect((await browser.open(`/sign-in?to=${encodeURIComponent(to)}`)).status).toBe(400);
    }
  });

  it("is a cookie for this site only, without the key, and the store has neither of them", async () => {
    const stored: string[] = [];
    await using t = await setup({
      wrapStore: (state) => ({ ...state, commit: (shard, change) => (stored.push(JSON.stringify(change)), state.commit(shard, change)) }),
    });
    const browser = browserOf(t);
    const { headers } = await browser.signIn("amy");
    const cookie = headers["set-cookie"]?.[0] ?? "";
    expect(cookie).toMatch(/^toolbus-approvals=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain("key-amy");
    const secret = browser.cookie.split("=")[1] ?? "";
    expect(stored.join("\n")).toContain('"principal":"amy"');
    for (const text of [secret, "key-amy"]) expect(stored.join("\n")).not.toContain(text);
  });

  it("survives a restart, ends after 8 hours, and ends everywhere when the person signs out", async () => {
    await using t = await setup();
    const browser = browserOf(t);
    await browser.signIn("amy");
    await t.restart();
    expect((await browser.open("/approvals")).status).toBe(200);
    const copy = browserOf(t);
    copy.cookie = browser.cookie;
    const out = await browser.post("/sign-out", browser.form("/sign-out"));
    expect([out.location, browser.cookie]).toEqual(["/sign-in", ""]);
    expect((await copy.open("/approvals")).location).toBe("/sign-in");
    await browser.signIn("amy");
    t.clock.now += 8 * 60 * MINUTE - 1;
    expect((await browser.open("/approvals")).status).toBe(200);
    t.clock.now += 1;
    expect((await browser.open("/approvals")).location).toBe("/sign-in");
  });

  it.each([
    { what: "is removed", part: null },
    { what: "gets another secret", part: { sha256: "0".repeat(64) } },
    { what: "belongs to somebody else", part: { principal: "ben" } },
    { what: "moves to another tenant", part: { tenant: "other" } },
    { what: "loses its role", part: { roles: ["user"] } },
  ])("ends when its key $what", async ({ part }) => {
    await using t = await setup();
    const browser = browserOf(t);
    await browser.signIn("amy");
    await t.changeKey("amy", part);
    await until(async () => (await browser.open("/approvals")).status !== 200);
    const ended = await browser.open("/approvals");
    expect([303, 403]).toContain(ended.status);
    expect(ended.text).not.toContain("Waiting for a decision");
  });

  it("replaces the session of the same browser, so that nobody can give a person a session in advance", async () => {
    await using t = await setup();
    const browser = browserOf(t);
    await browser.signIn("amy");
    const before = browser.cookie;
    await browser.signIn("ben");
    expect(browser.cookie).not.toBe(before);
    browser.cookie = before;
    expect((await browser.open("/approvals")).location).toBe("/sign-in");
  });

  it("is refused for a wrong key, for a key without the role, and for too many of either from one address", async () => {
    await using t = await setup({ env: { AUTH_FAILURES_PER_MINUTE: "3" } });
    const browser = browserOf(t);
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push((await browser.signIn("nobody")).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const user = await browser.signIn("una");
    expect([user.status, user.text]).toEqual([403, expect.stringContaining("This key has the role user.")]);
    const often = [];
    for (let n = 0; n < 11; n++) often.push((await browser.signIn("amy")).status);
    expect(often).toEqual([...Array(10).fill(303), 429]);
  });

  it("begins over HTTPS with a cookie that only this host can set", async () => {
    await using t = await setup({ env: { APPROVALS_PUBLIC_URL: "https://approvals.example.com" } });
    const browser = browserOf(t, { host: "approvals.example.com" });
    const { headers } = await browser.signIn("amy");
    expect(headers["set-cookie"]?.[0]).toMatch(
      /^__Host-toolbus-approvals=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect((await browser.open("/approvals")).status).toBe(200);
  });

  it("does not begin over plain HTTP from another machine, unless an operator allows it", async () => {
    const elsewhere = { host: "approvals.internal:8081" };
    {
      await using t = await setup();
      const browser = browserOf(t, elsewhere);
      for (const { status, text } of [await browser.open("/sign-in"), await browser.signIn("amy")])
        expect([status, text]).toEqual([403, expect.stringContaining("This address is plain HTTP on another machine")]);
      for (const host of ["localhost:8081", "127.0.0.1", "[::1]:8081", "approvals.localhost"])
        expect((await browserOf(t, { host }).signIn("amy")).status).toBe(303);
      for (const host of ["localhost.example.com", "127.0.0.1.example.com", "10.0.0.1", "localhost@evil.example"])
        expect((await browserOf(t, { host }).signIn("amy")).status).not.toBe(303);
    }
    await using t = await setup({ env: { APPROVALS_PAGE_OVER_HTTP: "true" } });
    const browser = browserOf(t, elsewhere);
    // A browser sends no Sec-Fetch-Site to such an address, so the page lets the browser send the origin.
    expect((await browser.open("/sign-in")).headers["referrer-policy"]).toBe("same-origin");
    const origin = `http://${elsewhere.host}`;
    expect((await browser.post("/sign-in", { key: "key-amy" }, { origin })).status).toBe(303);
    expect((await browser.open("/approvals")).status).toBe(200);
  });

  it("is opened by a link of another site without a second sign-in, by a page that opens itself again", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const answer = await browserOf(t).open(`/approvals/${id}`, { "sec-fetch-site": "cross-site" });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(`<meta http-equiv="refresh" content="0;url=/approvals/${id}">`);
  });
});

describe("the public address of the approval page", () => {
  it("must be an origin, because the page is at the root of its address", async () => {
    for (const address of ["https://example.com/approvals", "https://user:word@example.com", "https://example.com?x"])
      await expect(setup({ env: { APPROVALS_PUBLIC_URL: address } })).rejects.toThrow(
        /APPROVALS_PUBLIC_URL is more than scheme, host and port/,
      );
  });
});
