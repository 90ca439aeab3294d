import { keys } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../policy/policy.ts";
import { setup } from "../testing/approvals-under-test.ts";
import {
  type Asked,
  bigRefund,
  bigWire,
  call,
  CONVERSATION,
  putOrigin,
  refund,
  RUN,
  smallRefund,
  START,
} from "../testing/writes-under-test.ts";

const MINUTE = 60_000;

describe("GET /v1/approvals/{id}", () => {
  it("shows everything that an approver needs to decide, from the pin and the origin", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const { status, body } = await t.get("amy", `/v1/approvals/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: `ap_${call(1)}`,
      callId: call(1),
      links: { self: `/v1/approvals/ap_${call(1)}`, decision: `/v1/approvals/ap_${call(1)}/decision` },
      correlationId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      runId: RUN,
      rootRunId: RUN,
      conversationId: CONVERSATION,
      tool: "issue_refund",
      toolVersion: "1",
      toolHash: toolHash(refund),
      toolset: "orders",
      arguments: { amount: 149.99, order: "ORD-8821" },
      doubts: [],
      argumentsHash: expect.stringMatching(/^sha256-/),
      effect: "Refund $149.99 for order ORD-8821.",
      before: [],
      tier: "high",
      reasons: ["more than 50"],
      idempotency: { mode: "key", inWords: expect.stringMatching(/^If this is interrupted, it is sent again with the same key/) },
      requester: "rita",
      agent: "default",
      status: "pending",
      approversNeeded: 1,
      decisions: [],
      requestedAt: START,
      expiresAt: START + 15 * MINUTE,
      endedAt: null,
      policy: { version: defaultPolicy().version, rules: [], remindAt: START + 7.5 * MINUTE },
      mayDecide: true,
      decisionToken: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it("names the team that owns the tool, from the pin, while people decide", async () => {
    await using t = await setup({ tools: [{ ...refund, owner: "payments\u202e" }] });
    const id = await t.hold({ ...bigRefund(1), tool: { ...refund, owner: "payments\u202e" } });
    expect((await t.get("amy", `/v1/approvals/${id}`)).body).toMatchObject({ owner: "payments\\u202e" });
  });

  it("gives each approver one token however often they look, stores only its hash once, and decides nothing", async () => {
    const committed: string[] = [];
    await using t = await setup({
      wrapStore: (state) => ({
        ...state,
        commit: (shard, change) => (committed.push(...(change.put ?? []).map(({ key }) => key)), state.commit(shard, change)),
      }),
    });
    const id = await t.hold(bigRefund(1));
    const before = await t.stored(id);
    const tokens = [await t.token("amy", id)];
    for (let n = 0; n < 50; n++) tokens.push(await t.token("amy", id));
    const [of] = tokens;
    expect(new Set(tokens)).toEqual(new Set([of]));
    expect(await t.token("ben", id)).not.toBe(of);
    expect(committed.filter((key) => key.startsWith("tb:token:"))).toHaveLength(2);
    expect(await t.stored(id)).toEqual(before);
    const { documents } = await t.store.read([keys.token(id, tokens[0] ?? "")]);
    expect(documents).toEqual([null]);
  });

  it("shows no credential, neither among the arguments nor in the effect, and grants the unchanged arguments", async () => {
    await using t = await setup();
    const secret = "sk-proj-abcdefghijklmnop1234";
    const asked = { ...bigRefund(1), args: { amount: 100, order: `ORD-1 ${secret}` } };
    const id = await t.hold(asked);
    for (const url of [`/v1/approvals/${id}`, "/v1/approvals"]) {
      const { body } = await t.get("amy", url);
      expect(JSON.stringify(body)).not.toContain(secret);
      expect(JSON.stringify(body)).toContain('"order":"ORD-1 [redacted]"');
      expect(JSON.stringify(body)).toContain("for order ORD-1 [redacted].");
    }
    await t.decide("amy", id, "approve");
    expect(await t.verdict(await t.decided.next(), asked, { tier: "high", need: 1 })).toMatchObject({ kind: "granted" });
  });

  it("is read and decided by its own links, which carry the call's id, and shows the outcome at the same link later", async () => {
    await using t = await setup();
    await t.hold(bigRefund(1));
    const page = await t.get("amy", "/v1/approvals");
    const [listed] = page.body["approvals"] as readonly { readonly links: { readonly self: string; readonly decision: string } }[];
    if (!listed) throw new Error("Nothing is listed.");
    const { self, decision } = listed.links;
    expect(self).toContain(call(1));
    const { body } = await t.get("amy", self);
    expect(body).toMatchObject({ callId: call(1), mayDecide: true, links: { self, decision } });
    const sent = { method: "POST", headers: { "content-type": "application/json" } };
    const answer = await t.request("amy", decision, { ...sent, body: JSON.stringify({ decision: "deny", token: body["decisionToken"] }) });
    expect(answer.status).toBe(200);
    expect((await t.get("ben", self)).body).toMatchObject({ status: "rejected", mayDecide: false });
  });

  it("shows hidden characters of arguments as escapes", async () => {
    await using t = await setup();
    const id = await t.hold({ ...bigRefund(1), args: { amount: 100, order: "ORD\u202e-1" } });
    const { body } = await t.get("amy", `/v1/approvals/${id}`);
    expect(body).toMatchObject({
      arguments: { order: "ORD\\u202e-1" },
      effect: "Refund $100 for order ORD\\u202e-1.",
      doubts: [{ place: "/arguments/order", why: "hidden_characters", word: "ORD\\u202e-1", spelled: "ORD\\u202e-1" }],
    });
  });

  it.each([
    { what: "a Cyrillic letter in a Latin word", order: "pаypal.com", why: "mixed_scripts", word: "pаypal", spelled: "p\\u0430ypal" },
    {
      what: "a word in Cyrillic that looks Latin",
      order: "раураӏ.com",
      why: "looks_latin",
      word: "раураӏ",
      spelled: "\\u0440\\u0430\\u0443\\u0440\\u0430\\u04cf",
    },
  ])("marks $what once, with its place, and leaves the value unchanged", async ({ what: _, order, ...doubt }) => {
    await using t = await setup();
    const id = await t.hold({ ...bigRefund(1), args: { amount: 100, order } });
    const { body } = await t.get("amy", `/v1/approvals/${id}`);
    expect(body).toMatchObject({ arguments: { order }, doubts: [{ place: "/arguments/order", ...doubt }] });
    const page = await t.get("amy", "/v1/approvals");
    expect(page.body).toMatchObject({ approvals: [{ doubts: [{ place: "/arguments/order", ...doubt }] }] });
  });

  it("marks nothing of an order in Russian or Japanese", async () => {
    await using t = await setup();
    const id = await t.hold({ ...bigRefund(1), args: { amount: 100, order: "заказ для Сергея, 東京タワーのTシャツ" } });
    expect((await t.get("amy", `/v1/approvals/${id}`)).body).toMatchObject({ doubts: [] });
  });

  it("says why a reader may not decide, and gives them no token", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const reasons = { rita: /asked for this yourself/, cat: /approve:high/, otto: /role approver/ };
    for (const [who, reason] of Object.entries(reasons)) {
      const { body } = await t.get(who as keyof typeof reasons, `/v1/approvals/${id}`);
      expect(body).toMatchObject({ mayDecide: false, mayNotBecause: expect.stringMatching(reason) });
      expect(body).not.toHaveProperty("decisionToken");
    }
  });

  it("of one that ended says how, to everybody in the tenant", async () => {
    await using t = await setup();
    const id = await t.ask(smallRefund(1));
    await t.decided.next();
    expect((await t.get("amy", `/v1/approvals/${id}`)).body).toMatchObject({
      status: "approved",
      mayDecide: false,
      mayNotBecause: 'This ended as "approved".',
    });
  });

  it("is 404 for another tenant, an unknown id and an invalid id", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    expect((await t.get("zed", `/v1/approvals/${id}`)).status).toBe(404);
    for (const path of [`ap_${call(9)}`, "ap_1", `ap_${call(1).replace("rn_03", "rn_ff")}`]) {
      expect(await t.get("amy", `/v1/approvals/${path}`)).toMatchObject({ status: 404, body: { code: "not_found" } });
    }
  });

  it("shows a refused request without its origin to nobody", async () => {
    await using t = await setup();
    const id = await t.ask({ ...bigRefund(1), callId: "rn_03_01HZX3V5J8K2M4N6P8Q0R2S4T9.1.0" });
    await t.decided.next();
    for (const who of ["amy", "otto", "zed"] as const) expect((await t.get(who, `/v1/approvals/${id}`)).status).toBe(404);
  });
});

describe("GET /v1/approvals", () => {
  it("lists what waits in the reader's tenant, oldest first, page by page", async () => {
    await using t = await setup();
    const ids: string[] = [];
    for (let n = 1; n <= 5; n++) {
      await putOrigin(t.store, { tenant: n % 2 === 0 ? "other" : "acme" });
      const id = await t.hold(bigRefund(n));
      if (n % 2 === 1) ids.push(id);
      t.clock.now += 1;
    }
    const seen: unknown[] = [];
    let query = "?status=pending&limit=2";
    for (let page = 1; page <= 3; page++) {
      const { body } = await t.get("amy", `/v1/approvals${query}`);
      seen.push(...(body["approvals"] as { id: string }[]).map(({ id }) => id));
      if (body["cursor"] === undefined) break;
      query = `?limit=2&cursor=${JSON.stringify(body["cursor"]).slice(1, -1)}`;
    }
    expect(seen).toEqual(ids);
    expect((await t.get("zed", "/v1/approvals")).body["approvals"]).toHaveLength(2);
  });

  it("gives no tokens, and drops decided approvals", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const { body } = await t.get("amy", "/v1/approvals");
    expect(JSON.stringify(body)).not.toContain("decisionToken");
    await t.decide("amy", id, "deny");
    expect((await t.get("amy", "/v1/approvals")).body).toEqual({ approvals: [], now: START });
  });

  it("refuses a query that it does not understand", async () => {
    await using t = await setup();
    for (const query of ["?status=done", "?limit=0", "?limit=1000", "?limit=1&limit=2", "?tenant=other"]) {
      expect(await t.get("amy", `/v1/approvals${query}`)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    }
    expect(await t.get("amy", "/v1/approvals?cursor=nonsense")).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
  });

  it("is for approvers and operators only", async () => {
    await using t = await setup();
    expect((await t.get("otto", "/v1/approvals")).status).toBe(200);
    expect((await t.get("una", "/v1/approvals")).status).toBe(403);
    expect((await t.get(null, "/v1/approvals")).status).toBe(401);
  });
});

describe("the public routes", () => {
  it("give the public key, without its private half, and the service's health", async () => {
    await using t = await setup();
    const { body } = await t.get(null, "/.well-known/jwks.json");
    expect(body["keys"]).toMatchObject([{ kty: "OKP", crv: "Ed25519", alg: "Ed25519" }]);
    expect(JSON.stringify(body)).not.toContain('"d"');
    expect(await t.get(null, "/healthz")).toEqual({ status: 200, body: { status: "ok" } });
    expect(await t.get(null, "/readyz")).toEqual({ status: 200, body: { status: "ready", reasons: [] } });
  });

  it("keep the same key after a restart", async () => {
    await using t = await setup();
    const asked: Asked = bigWire(1);
    const id = await t.hold(asked);
    const before = (await t.get(null, "/.well-known/jwks.json")).body;
    await t.restart();
    expect((await t.get(null, "/.well-known/jwks.json")).body).toEqual(before);
    await t.decide("amy", id, "approve", { ticket: "T-1" });
    await t.decide("ben", id, "approve", { ticket: "T-1" });
    expect(await t.verdict(await t.decided.next(), asked, { tier: "critical", need: 2 })).toMatchObject({ kind: "granted" });
  });
});
