import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Shop, type ShopOptions, startShop } from "./shop.ts";

async function setup(options: Partial<ShopOptions> = {}) {
  const directory = await mkdtemp(path.join(tmpdir(), "toolbus-shop-"));
  const open: Shop[] = [];
  const start = async (more: Partial<ShopOptions> = {}): Promise<Shop> => {
    const shop = await startShop({ directory, clock: () => 1000, ...options, ...more });
    open.push(shop);
    return shop;
  };
  const shop = await start();
  return {
    directory,
    shop,
    start,
    async [Symbol.asyncDispose]() {
      for (const one of open) await one.stop();
      await rm(directory, { recursive: true });
    },
  };
}

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask({ url }: Shop, at: string, { method = "GET", body, key, headers = {} }: Sent = {}) {
  const response = await fetch(`${url}${at}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key ? { "idempotency-key": key } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  return {
    status: response.status,
    type: response.headers.get("content-type") ?? "",
    replay: response.headers.get("idempotent-replay"),
    answer,
  };
}

const refund = (amount: unknown, order: unknown = "ORD-8821"): Sent => ({
  method: "POST",
  body: { order, amount, reason: "Damaged." },
  key: "k1",
});

describe("the shop", () => {
  it("refunds once for each key, and gives a repeat the same answer, even after a restart", async () => {
    await using bundle = await setup();
    const first = await ask(bundle.shop, "/refunds", refund(20));
    expect(first).toMatchObject({ status: 201, answer: { refund: "RF-1", order: "ORD-8821", amount: 20, currency: "EUR" } });
    await bundle.shop.stop();
    const again = await bundle.start();
    expect(await ask(again, "/refunds", refund(20))).toMatchObject({ status: 200, replay: "true", answer: first.answer });
    expect(again.effects()).toMatchObject({ refunds: [{ refund: "RF-1", amount: 20 }], balances: { "CUS-17": 20 } });
  });

  it("refuses a key that was used for another request", async () => {
    await using bundle = await setup();
    await ask(bundle.shop, "/refunds", refund(20));
    expect(await ask(bundle.shop, "/refunds", refund(21))).toMatchObject({ status: 422, answer: { code: "idempotency_key_reused" } });
    expect(bundle.shop.effects().refunds).toHaveLength(1);
  });

  it("never refunds more than the price of an order, whatever the keys", async () => {
    await using bundle = await setup();
    const keys = ["a", "b", "c", "d", "e", "f"];
    const statuses = await Promise.all(keys.map(async (key) => (await ask(bundle.shop, "/refunds", { ...refund(100), key })).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 201, 409, 409, 409, 409]);
    expect(bundle.shop.effects().balances["CUS-17"]).toBe(200);
  });

  it("counts cents, so that many small refunds have an exact sum", async () => {
    await using bundle = await setup();
    for (const key of ["a", "b", "c"]) await ask(bundle.shop, "/refunds", { ...refund(0.1), key });
    expect(bundle.shop.effects().balances["CUS-17"]).toBe(0.3);
  });

  it("sends a mail for each request, even with the same key, because a mail server knows no keys", async () => {
    await using bundle = await setup();
    const mail = { method: "POST", body: { to: "bo@shop.example", subject: "Hi", text: "Hi." }, key: "k1" };
    await ask(bundle.shop, "/mails", mail);
    await ask(bundle.shop, "/mails", mail);
    expect(bundle.shop.effects().mails).toHaveLength(2);
  });

  it("creates one ticket for each reference, and none for a reference that was settled without one", async () => {
    await using bundle = await setup();
    const ticket = (reference: string): Sent => ({ method: "POST", body: { reference, subject: "Late", text: "Where?" } });
    const settle = (reference: string) => ask(bundle.shop, `/ticket-references/${reference}/settle`, { method: "POST" });
    expect((await ask(bundle.shop, "/tickets", ticket("r1"))).status).toBe(201);
    expect(await ask(bundle.shop, "/tickets", ticket("r1"))).toMatchObject({ status: 409, answer: { code: "reference_used" } });
    expect((await settle("r1")).answer).toMatchObject({ state: "created", ticket: "TK-1" });
    expect((await settle("r2")).answer).toEqual({ state: "void" });
    expect(await ask(bundle.shop, "/tickets", ticket("r2"))).toMatchObject({ status: 409, answer: { code: "reference_settled" } });
    expect(bundle.shop.effects().tickets).toHaveLength(1);
  });

  it("stores an effect whose answer it loses", async () => {
    await using bundle = await setup({ losesAnswerTo: (effect) => effect === "refunds" });
    await expect(ask(bundle.shop, "/refunds", refund(20))).rejects.toThrow(/fetch failed/);
    expect(bundle.shop.effects().refunds).toHaveLength(1);
  });

  it("forgets everything with reset, and nothing without", async () => {
    await using bundle = await setup();
    await ask(bundle.shop, "/refunds", refund(20));
    await bundle.shop.stop();
    const kept = await bundle.start();
    expect(kept.effects().refunds).toHaveLength(1);
    await kept.stop();
    const fresh = await bundle.start({ reset: true });
    expect(fresh.effects()).toMatchObject({ refunds: [], balances: { "CUS-17": 0 } });
    expect((await ask(fresh, "/refunds", refund(20))).status).toBe(201);
  });

  it("does not touch a file that is not its database", async () => {
    await using bundle = await setup();
    await bundle.shop.stop();
    const file = path.join(bundle.directory, "other");
    await mkdir(file);
    await writeFile(path.join(file, "shop.sqlite"), "no database, but somebody's text");
    await expect(bundle.start({ directory: file, reset: true })).rejects.toThrow(/not a database|not the database of a shop/);
  });
});

describe("hostile input", () => {
  const body = { order: "ORD-8821", amount: 5, reason: "x" };
  it.each<{ what: string; at: string; sent: Sent; status: number; code: string }>([
    { what: "no key", at: "/refunds", sent: { method: "POST", body }, status: 400, code: "idempotency_key_required" },
    { what: "a key with blanks", at: "/refunds", sent: { method: "POST", body, key: "a b" }, status: 400, code: "idempotency_key_invalid" },
    { what: "text that is no JSON", at: "/refunds", sent: { ...refund(5), body: "{" }, status: 400, code: "invalid_json" },
    { what: "a list", at: "/refunds", sent: { ...refund(5), body: [] }, status: 400, code: "invalid_fields" },
    {
      what: "a form",
      at: "/refunds",
      sent: { ...refund(5), headers: { "content-type": "text/plain" } },
      status: 415,
      code: "unsupported_media_type",
    },
    { what: "a long body", at: "/refunds", sent: { ...refund(5), body: `"${"x".repeat(70_000)}"` }, status: 413, code: "body_too_large" },
    { what: "a negative amount", at: "/refunds", sent: refund(-5), status: 400, code: "invalid_fields" },
    { what: "half a cent", at: "/refunds", sent: refund(0.005), status: 400, code: "invalid_fields" },
    { what: "more than 10,000 EUR", at: "/refunds", sent: refund(10_001), status: 400, code: "invalid_fields" },
    { what: "an amount as text", at: "/refunds", sent: refund("5"), status: 400, code: "invalid_fields" },
    { what: "SQL as an order", at: "/refunds", sent: refund(5, "ORD-1'; DROP TABLE orders; --"), status: 400, code: "invalid_fields" },
    { what: "an unknown field", at: "/refunds", sent: { ...refund(5), body: { ...body, to: "me" } }, status: 400, code: "invalid_fields" },
    {
      what: "a member of every object",
      at: "/refunds",
      sent: { ...refund(5), body: `{"__proto__": {}, "order": "ORD-1"}` },
      status: 400,
      code: "invalid_fields",
    },
    { what: "an order that does not exist", at: "/refunds", sent: refund(5, "ORD-1"), status: 404, code: "order_not_found" },
    {
      what: "a header in a mail's subject",
      at: "/mails",
      sent: { method: "POST", body: { to: "a@b.example", subject: "x\r\nBcc: eve@b.example", text: "x" } },
      status: 400,
      code: "invalid_fields",
    },
    { what: "SQL in a path", at: "/orders/ORD-1'%20OR%201=1", sent: {}, status: 400, code: "invalid_fields" },
    { what: "a broken path", at: "/orders/%ff", sent: {}, status: 400, code: "bad_request" },
    { what: "a long search", at: `/policies?q=${"x".repeat(201)}`, sent: {}, status: 400, code: "invalid_fields" },
    { what: "two searches", at: "/policies?q=a&q=b", sent: {}, status: 400, code: "invalid_fields" },
    { what: "a weight that is no number", at: "/shipping-rates?country=DE&weight_kg=1e9", sent: {}, status: 400, code: "invalid_fields" },
    { what: "another method", at: "/refunds", sent: { method: "DELETE" }, status: 405, code: "method_not_allowed" },
    { what: "another path", at: "/admin", sent: {}, status: 404, code: "not_found" },
  ])("is refused as problem+json and changes nothing: $what", async ({ at, sent, status, code }) => {
    await using bundle = await setup();
    const before = bundle.shop.effects();
    const refused = await ask(bundle.shop, at, sent);
    expect({ status: refused.status, type: refused.type, code: refused.answer["code"] }).toEqual({
      status,
      type: "application/problem+json; charset=utf-8",
      code,
    });
    expect(refused.answer["detail"]).toMatch(/^[A-Z].*\.$/);
    expect(bundle.shop.effects()).toEqual(before);
  });

  it("leaves the key free for a request that is right", async () => {
    await using bundle = await setup();
    expect((await ask(bundle.shop, "/refunds", refund(-5))).status).toBe(400);
    expect((await ask(bundle.shop, "/refunds", refund(5))).status).toBe(201);
  });
});
