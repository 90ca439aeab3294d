import type { OidcAccount } from "@toolbus/oidc-server";
import type { Log } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { FROM_THE_PROVIDER, withOidc } from "../testing/oidc-under-test.ts";
import { browserOf } from "../testing/page-under-test.ts";

const MINUTE = 60_000;
type Oidc = Awaited<ReturnType<typeof withOidc>>;

describe("a return from the provider", () => {
  it.each<{ what: string; change: (path: string) => string }>([
    { what: "another state", change: changed("state", "A".repeat(43)) },
    { what: "no state", change: changed("state", null) },
    { what: "no code", change: changed("code", null) },
    { what: "an invented code", change: changed("code", "invented") },
    { what: "another issuer", change: changed("iss", "http://127.0.0.1:1") },
    { what: "no issuer, although the provider always names it", change: changed("iss", null) },
  ])("with $what signs in nobody", async ({ change }) => {
    await using o = await withOidc();
    const browser = browserOf(o.t);
    const path = await o.returning(browser, "ana");
    await refused(o, browser, change(path));
  });

  it("with a parameter twice signs in nobody", async () => {
    await using o = await withOidc();
    const browser = browserOf(o.t);
    const path = await o.returning(browser, "ana");
    expect((await browser.open(`${path}&state=x`)).status).toBe(400);
    expect((await browser.open("/approvals")).location).toBe("/sign-in");
  });

  it("may have parameters of the provider's own", async () => {
    await using o = await withOidc();
    const browser = browserOf(o.t);
    expect((await browser.open(`${await o.returning(browser, "ana")}&session_state=abc`)).status).toBe(200);
  });

  it("in a browser that began nothing, or another sign-in, signs in nobody", async () => {
    await using o = await withOidc();
    const [ana, victim, fresh] = [browserOf(o.t), browserOf(o.t), browserOf(o.t)];
    const path = await o.returning(ana, "ana");
    await o.returning(victim, "ben");
    await refused(o, fresh, path);
    await refused(o, victim, path);
    expect((await ana.open(path)).status).toBe(200);
  });

  it("with the code of another sign-in signs in nobody, because the verifier is another one", async () => {
    await using o = await withOidc();
    const [attacker, victim] = [browserOf(o.t), browserOf(o.t)];
    let nonce = "";
    const path = await o.returning(attacker, "ben", { change: ({ searchParams }) => (nonce = searchParams.get("nonce") ?? "") });
    // The attacker has even made the victim sign in with the attacker's nonce, so that only PKCE prevents the attack.
    const lured = await o.returning(victim, "ana", { change: ({ searchParams }) => searchParams.set("nonce", nonce) });
    await refused(o, attacker, changed("code", new URL(lured, o.t.url).searchParams.get("code"))(path));
  });

  it("is good for one session, also with a copy of the cookie", async () => {
    await using o = await withOidc();
    const [browser, copy] = [browserOf(o.t), browserOf(o.t)];
    const path = await o.returning(browser, "ana");
    copy.cookie = browser.cookie;
    expect((await browser.open(path)).status).toBe(200);
    await refused(o, copy, path);
    expect((await browser.open(path)).status).toBe(401);
    expect((await browser.open("/approvals")).status).toBe(200);
  });

  it("after 10 minutes signs in nobody, whatever the cookie says about its end", async () => {
    await using o = await withOidc();
    const [browser, liar] = [browserOf(o.t), browserOf(o.t)];
    const path = await o.returning(browser, "ana");
    liar.cookie = browser.cookie.replace(/\.(\d+)\./, (_, at: string) => `.${Number(at) + 60 * MINUTE}.`);
    expect(liar.cookie).not.toBe(browser.cookie);
    o.t.clock.now += 10 * MINUTE;
    await refused(o, browser, path);
    await refused(o, liar, path);
  });

  it("until then signs in, and with a changed cookie it does not", async () => {
    await using o = await withOidc();
    const [browser, liar] = [browserOf(o.t), browserOf(o.t)];
    const path = await o.returning(browser, "ana");
    const [name = "", value = ""] = browser.cookie.split("=");
    const approval = "ap_rn_00_01HZX3V5J8K2M4N6P8Q0R2S4T7.1.0";
    for (const other of [`${value}${approval}`, `${value}//evil.example`, value.slice(1), `x${value.slice(1)}`, "", "__proto__"]) {
      liar.cookie = `${name}=${other}`;
      await refused(o, liar, path);
    }
    o.t.clock.now += 10 * MINUTE - 1;
    expect((await browser.open(path)).status).toBe(200);
  });

  it("needs nothing in the store until somebody comes back, so that strangers cannot fill it", async () => {
    let commits = 0;
    await using o = await withOidc({
      wrapStore: (state) => ({ ...state, commit: (shard, change) => (commits++, state.commit(shard, change)) }),
    });
    await o.t.chained();
    const before = commits;
    const browser = browserOf(o.t);
    for (let n = 0; n < 20; n++) expect((await browser.open("/sign-in/oidc")).status).toBe(303);
    await refused(o, browser, changed("code", "invented")(await o.returning(browser, "ana")));
    expect(commits).toBe(before);
    expect((await o.signIn(browser, "ana")).status).toBe(200);
    expect(commits).toBeGreaterThan(before);
  });

  it("leads to no other site", async () => {
    await using o = await withOidc();
    const browser = browserOf(o.t);
    for (const to of ["https://evil.example", "//evil.example", "ap_1"])
      expect((await browser.open(`/sign-in/oidc?to=${encodeURIComponent(to)}`)).status).toBe(400);
  });
});

describe("an ID token", () => {
  it("for another nonce than the one of this browser signs in nobody", async () => {
    await using o = await withOidc();
    const browser = browserOf(o.t);
    await refused(
      o,
      browser,
      await o.returning(browser, "ana", { change: (address) => address.searchParams.set("nonce", "another-nonce") }),
    );
  });

  it.each<{ what: string; forge: (claims: OidcAccount) => OidcAccount }>([
    { what: "of another client", forge: (claims) => ({ ...claims, aud: "another-client" }) },
    { what: "of several clients, made for another one", forge: (claims) => ({ ...claims, aud: [claims["aud"], "x"], azp: "x" }) },
    { what: "of another issuer", forge: (claims) => ({ ...claims, iss: "http://127.0.0.1:1" }) },
    { what: "that has expired", forge: (claims) => ({ ...claims, exp: Number(claims["iat"]) - 60 }) },
    { what: "without a nonce", forge: ({ nonce: _, ...claims }) => claims },
    { what: "without a subject", forge: ({ sub: _, ...claims }) => claims },
  ])("$what signs in nobody, although the provider signed it", async ({ forge }) => {
    await using o = await withOidc({ server: { forge } });
    const browser = browserOf(o.t);
    await refused(o, browser, await o.returning(browser, "ana"));
  });

  it.each<{ what: string; tamper: (token: string) => string }>([
    { what: "with changed claims", tamper: (token) => withClaims(token, { sub: "olga", groups: ["approvers"] }) },
    { what: "without a signature", tamper: (token) => `${part({ alg: "none" })}.${token.split(".")[1] ?? ""}.` },
    { what: "signed with the secret of the client", tamper: (token) => `${part({ alg: "HS256" })}.${token.split(".").slice(1).join(".")}` },
    { what: "of an unknown key", tamper: (token) => `${part({ alg: "RS256", kid: "x" })}.${token.split(".").slice(1).join(".")}` },
    { what: "that is no token", tamper: () => "x" },
  ])("$what signs in nobody", async ({ tamper }) => {
    await using o = await withOidc({ server: { tamper } });
    const browser = browserOf(o.t);
    await refused(o, browser, await o.returning(browser, "ana"));
  });

  it("that the provider signed again is accepted, so that the cases above fail for the reason that they name", async () => {
    await using o = await withOidc({ server: { forge: (claims) => ({ ...claims }) } });
    const browser = browserOf(o.t);
    expect((await o.signIn(browser, "ana")).status).toBe(200);
  });
});

describe("the log of approvals", () => {
  it("has who signed in and why a sign-in failed, and nothing secret", async () => {
    const lines: string[] = [];
    const tokens: string[] = [];
    const line = (fields: object, message: string): void => void lines.push(JSON.stringify({ ...fields, message }));
    const log: Log = { debug: line, info: line, warn: line, error: line, child: () => log };
    await using o = await withOidc({ log, server: { tamper: (token) => (tokens.push(token), tokens.length === 1 ? token : `${token}x`) } });
    const browser = browserOf(o.t);
    const paths = [];
    const cookies = [];
    for (let n = 0; n < 2; n++) {
      const path = await o.returning(browser, "ana");
      paths.push(path);
      cookies.push(browser.cookie);
      await browser.open(path, FROM_THE_PROVIDER);
    }
    await browser.open(changed("code", "x")(await o.returning(browser, "ana")));
    const text = lines.join("\n");
    expect(text).toContain('"principal":"oidc:ana","keyId":"oidc:');
    expect(text).toContain("invalid_grant");
    const codes = paths.flatMap((path) =>
      [...new URL(path, o.t.url).searchParams].flatMap(([name, value]) => (name === "iss" ? [] : [value])),
    );
    const secrets = [
      ...codes,
      ...tokens,
      ...tokens.flatMap((token) => token.split(".")),
      ...cookies.flatMap((cookie) => cookie.split(/[=.; ]/)),
    ];
    for (const secret of [...secrets, "the-secret-of-the-client"])
      if (secret.length > 16 && !secret.startsWith("toolbus-")) expect(text).not.toContain(secret);
    expect(secrets.filter((secret) => secret.length > 16).length).toBeGreaterThan(10);
  });
});

/** Expects that a return is refused and that the browser has no session. */
async function refused(o: Oidc, browser: ReturnType<typeof browserOf>, path: string): Promise<void> {
  const answer = await browser.open(path, FROM_THE_PROVIDER);
  expect([answer.status, answer.headers["set-cookie"] ?? []]).toEqual([
    401,
    expect.not.arrayContaining([expect.stringMatching(/^toolbus-approvals=/)]),
  ]);
  expect(answer.text).toContain('role="alert"');
  expect((await browser.open("/approvals")).location).toBe("/sign-in");
  expect(await o.t.security()).toEqual([]);
}

/** Returns a function that replaces a parameter of a path, or removes it for null. */
function changed(name: string, value: string | null): (path: string) => string {
  return (path) => {
    const url = new URL(path, "http://127.0.0.1");
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
    return url.pathname + url.search;
  };
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function withClaims(token: string, claims: object): string {
  const [head = "", body = "", signature = ""] = token.split(".");
  const given = JSON.parse(Buffer.from(body, "base64url").toString()) as object;
  return `${head}.${part({ ...given, ...claims })}.${signature}`;
}
