import { hash } from "node:crypto";
import { keys, type ToolDefinition } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { setup } from "../testing/approvals-under-test.ts";
import { browserOf, FROM_THE_PAGE } from "../testing/page-under-test.ts";
import { bigRefund, call, putDocument, putOrigin, refund } from "../testing/writes-under-test.ts";

const EVIL = "https://evil.example";

describe("a form on the approval page that the person did not send", () => {
  it.each<{ what: string; headers: Record<string, string> }>([
    { what: "a page of another site", headers: { "sec-fetch-site": "cross-site", origin: EVIL } },
    { what: "a page of another host of the same site", headers: { "sec-fetch-site": "same-site" } },
    { what: "a page of another site, in an old browser", headers: { origin: EVIL } },
    { what: "a page that hides its origin, in an old browser", headers: { origin: "null" } },
    { what: "a page of another port", headers: { origin: "http://127.0.0.1:1" } },
    { what: "an address that the person typed", headers: { "sec-fetch-site": "none" } },
    { what: "a program that says nothing", headers: {} },
    { what: "a page whose two headers disagree", headers: { ...FROM_THE_PAGE, origin: EVIL } },
  ])("from $what does nothing", async ({ headers }) => {
    await using t = await setup();
    const id = await t.hold({ ...bigRefund(1), args: { amount: 100, order: "anna@example.com" } });
    const browser = browserOf(t);
    await browser.signIn("amy");
    await browser.open(`/approvals/${id}`);
    const forms: readonly (readonly [string, Record<string, string>])[] = [
      [`/approvals/${id}/decision`, browser.form(`/approvals/${id}/decision`, { decision: "approve" })],
      [`/approvals/${id}/reveal`, browser.form(`/approvals/${id}/reveal`)],
      [`/approvals/${id}/edit`, pick(browser.form(`/approvals/${id}/decision`, { decision: "approve" }))],
      ["/sign-out", browser.form("/sign-out")],
      ["/sign-in", { key: "key-ben" }],
    ];
    const before = browser.cookie;
    for (const [path, fields] of forms) expect((await browser.post(path, fields, headers)).status).toBe(403);
    expect(browser.cookie).toBe(before);
    expect(await t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
    expect((await t.audit()).map(({ event }) => event)).toEqual(["held"]);
    expect((await browser.open("/approvals")).status).toBe(200);
  });

  it("is accepted from this page, also in a browser that says only the origin", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const browser = browserOf(t);
    await browser.signIn("amy");
    await browser.open(`/approvals/${id}`);
    const fields = browser.form(`/approvals/${id}/decision`, { decision: "deny" });
    expect((await browser.post(`/approvals/${id}/decision`, fields, { origin: t.url })).status).toBe(303);
  });

  it("is refused in the session of another person, for another approval, and with a changed token", async () => {
    await using t = await setup();
    const [one, two] = [await t.hold(bigRefund(1)), await t.hold(bigRefund(2))];
    const [amy, ben] = [browserOf(t), browserOf(t)];
    await amy.signIn("amy");
    await ben.signIn("ben");
    await amy.open(`/approvals/${one}`);
    const amys = amy.form(`/approvals/${one}/decision`, { decision: "approve" });
    await ben.open(`/approvals/${one}`);
    const bens = ben.form(`/approvals/${one}/decision`, { decision: "approve" });
    expect((await ben.post(`/approvals/${one}/decision`, amys)).status).toBe(403);
    expect((await amy.post(`/approvals/${two}/decision`, amys)).status).toBe(403);
    expect((await amy.post(`/approvals/${one}/decision`, { ...amys, form: `${amys["form"]?.slice(0, -1)}x` })).status).toBe(403);
    expect((await amy.post(`/approvals/${one}/decision`, { ...amys, form: "" })).status).toBe(403);
    expect(await t.security()).toEqual([]);
    // The form is amy's own, but the token in it is ben's.
    expect((await amy.post(`/approvals/${one}/decision`, { ...amys, token: bens["token"] ?? "" })).status).toBe(403);
    expect(await t.security()).toMatchObject([{ kind: "unknown_token", by: "amy" }]);
    for (const id of [one, two]) expect(await t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });

  it("is refused if it has a field twice, an unknown field, or is no form at all", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const browser = browserOf(t);
    await browser.signIn("amy");
    await browser.open(`/approvals/${id}`);
    const path = `/approvals/${id}/decision`;
    const fields = browser.form(path, { decision: "deny" });
    expect((await browser.post(`${path}`, { ...fields, approver: "ben" })).status).toBe(400);
    expect((await browser.post(`${path}?decision=approve`, fields)).status).toBe(400);
    const json = await browser.post(path, {}, { ...FROM_THE_PAGE, "content-type": "application/json" });
    expect([json.status, json.text]).toEqual([415, expect.stringContaining("The page reads only forms.")]);
    const twice = await fetch(t.url + path, {
      method: "POST",
      headers: { ...FROM_THE_PAGE, cookie: browser.cookie, "content-type": "application/x-www-form-urlencoded" },
      body: `${new URLSearchParams(fields).toString()}&decision=approve`,
    });
    expect(twice.status).toBe(400);
    expect(await t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });
});

describe("a visitor of the approval page", () => {
  it("has no session with a cookie that was changed, invented, or belongs to a session that approvals did not store", async () => {
    await using t = await setup();
    const browser = browserOf(t);
    await browser.signIn("amy");
    const [name = "", secret = ""] = browser.cookie.split("=");
    const invented = "A".repeat(43);
    // Somebody who can write to the store copies amy's session under the name for a secret of their own.
    const nameOf = (one: string) => keys.pageSession(hash("sha256", `toolbus-session\n${one}`, "base64url"));
    const { documents } = await t.store.read([nameOf(secret)]);
    expect(documents[0]?.value).toMatchObject({ principal: "amy" });
    await putDocument(t.store, nameOf(invented), documents[0]?.value ?? null);
    const other = `${secret.startsWith("B") ? "C" : "B"}${secret.slice(1)}`;
    for (const value of [other, secret.slice(1), "", invented, `${secret}x`, "key-amy", "__proto__"]) {
      browser.cookie = `${name}=${value}`;
      expect((await browser.open("/approvals")).location).toBe("/sign-in");
    }
    browser.cookie = `${name}=${secret}`;
    expect((await browser.open("/approvals")).status).toBe(200);
  });

  it("has no session after 8 hours, even if somebody puts the stored session back without its expiry", async () => {
    await using t = await setup();
    const browser = browserOf(t);
    await browser.signIn("amy");
    const name = keys.pageSession(hash("sha256", `toolbus-session\n${browser.cookie.split("=")[1] ?? ""}`, "base64url"));
    const { documents } = await t.store.read([name]);
    t.clock.now += 8 * 3_600_000;
    await putDocument(t.store, name, documents[0]?.value ?? null);
    expect((await browser.open("/approvals")).location).toBe("/sign-in");
  });

  it("decides nothing with a GET, whatever is in the address", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const browser = browserOf(t);
    await browser.signIn("amy");
    await browser.open(`/approvals/${id}`);
    const query = new URLSearchParams(browser.form(`/approvals/${id}/decision`, { decision: "approve" })).toString();
    expect((await browser.open(`/approvals/${id}?${query}`)).status).toBe(400);
    expect((await browser.open(`/approvals/${id}/decision?${query}`)).status).toBe(405);
    for (let n = 0; n < 5; n++) await browser.open(`/approvals/${id}`);
    expect(await t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });

  it("does not sign in with a key in the address, and reads that the key should be replaced", async () => {
    await using t = await setup();
    const browser = browserOf(t);
    for (const path of ["/sign-in?key=key-amy", "/?key=key-amy"]) {
      const answer = await browser.open(path);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("if it had a key in it, replace that key")]);
      expect(answer.text).not.toContain("key-amy");
    }
    expect((await browser.open("/approvals?key=key-amy")).status).toBe(303);
    expect((await browser.post("/sign-in?key=key-amy", { key: "" })).status).toBe(400);
    expect(browser.cookie).toBe("");
  });

  it("cannot use the session at the API, and the API reads no form", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const browser = browserOf(t);
    await browser.signIn("amy");
    expect((await browser.open("/v1/approvals")).status).toBe(401);
    expect((await browser.open(`/v1/approvals/${id}`)).status).toBe(401);
    const sent = await browser.post(`/v1/approvals/${id}/decision`, { decision: "deny" }, { authorization: "Bearer key-amy" });
    expect([sent.status, sent.headers["content-type"]]).toEqual([415, "application/problem+json; charset=utf-8"]);
  });

  it("gets headers that allow no script, no frame, no referrer and no copy", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const browser = browserOf(t);
    const pages = [await browser.open("/sign-in"), await browser.signIn("nobody")];
    await browser.signIn("amy");
    for (const path of ["/approvals", `/approvals/${id}`, `/approvals/ap_${call(9)}`, "/approvals?x=1"])
      pages.push(await browser.open(path));
    for (const { headers, text } of pages) {
      expect(headers).toMatchObject({
        "content-security-policy": expect.stringMatching(
          /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
        ),
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
      });
      const [, policy] = /'(sha256-[^']+)'/.exec(String(headers["content-security-policy"])) ?? [];
      const [, style = ""] = /<style>([^]*)<\/style>/.exec(text) ?? [];
      expect(`sha256-${hash("sha256", style, "base64")}`).toBe(policy);
      expect(text).not.toMatch(/<script|style="|\son\w+=/);
    }
  });
});

describe("text from outside on the approval page", () => {
  const ATTACK = `"><img src=x onerror=alert(1)></textarea></title><script>alert(1)</script>'\u202e&lt;`;
  const free: ToolDefinition = {
    ...refund,
    name: "free_text",
    risk: { tier: "high", rules: [{ when: {}, tier: "high", reason: ATTACK }] },
    parameters: { type: "object", properties: { text: { type: "string" } } },
    effect: "Writes {text}.",
  };

  it("is shown as text, wherever it comes from", async () => {
    await using t = await setup({ tools: [free] });
    await putOrigin(t.store, { principal: ATTACK });
    const args = { text: ATTACK, [ATTACK]: { [ATTACK]: [ATTACK, `${ATTACK} anna@example.com`] } };
    const [id, other] = [await t.hold({ callId: call(1), tool: free, args }), await t.hold({ callId: call(2), tool: free, args })];
    const browser = browserOf(t);
    await browser.signIn("amy");
    const texts = [await browser.open("/approvals"), await browser.open(`/approvals/${id}`)];
    for (const pointer of [...(texts.at(-1)?.text ?? "").matchAll(/name="pointer" value="([^"]*)"/g)].map(([, found = ""]) => found)) {
      const plain = pointer.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
      await browser.open(`/approvals/${id}`);
      const shown = await browser.post(`/approvals/${id}/reveal`, browser.form(`/approvals/${id}/reveal`, { pointer: plain }));
      expect(shown.status).toBe(200);
      texts.push(shown);
    }
    expect(texts.length).toBeGreaterThan(2);
    texts.push(
      await browser.decide(id, "revise", { comment: "", ticket: ATTACK }),
      await browser.decide(other, "deny", { comment: ATTACK }),
    );
    texts.push(await browser.open(`/approvals/${other}`), await browser.open(`/sign-in?to=${encodeURIComponent(ATTACK)}`));
    texts.push(await browser.post("/sign-in", { key: ATTACK, to: ATTACK }), await browser.open(`/approvals/${encodeURIComponent(ATTACK)}`));
    for (const { text } of texts) {
      // The field of a form keeps what the person typed.
      expect(text.replaceAll(/value="[^"]*"/g, "")).not.toMatch(/<(?:img|script)|\u202e/);
      expect(text.split("</textarea>").length).toBe(text.split("<textarea").length);
      expect(text.split("</title>").length).toBe(text ? 2 : 1);
    }
    expect(texts[1]?.text).toContain("&#60;img src=x onerror=alert(1)&#62;");
  });
});

/** Returns the fields that the form of an edit shares with that of a decision. */
function pick({ form = "", argumentsHash = "" }: Record<string, string>): Record<string, string> {
  return { form, argumentsHash, v0: "20" };
}
