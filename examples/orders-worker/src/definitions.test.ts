import { assessRisk, checkArguments, type JsonObject, protectionOf, renderEffect } from "@toolbus/contracts";
import { startShop } from "@toolbus/example-orders-shop";
import { nobodyToAsk, lintTool } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { orders } from "./orders.ts";
import { shopAt } from "./shop/shop-at.ts";
import { createSupportTicket } from "./tools/create-support-ticket.ts";
import { silentLog } from "@toolbus/telemetry";

const definitions = new Map(
  orders(shopAt("http://127.0.0.1:9"))
    .list()
    .map(({ definition }) => [definition.name, definition]),
);

function definitionOf(name: string) {
  const definition = definitions.get(name);
  if (!definition) throw new Error(`There is no tool ${name}.`);
  return definition;
}

const refund = (amount: number): JsonObject => ({ order: "ORD-8821", amount, reason: "Damaged." });
const mail = (to: string): JsonObject => ({ to, subject: "Hello", text: "Hello." });
const address = { order: "ORD-1", street: "Via Roma 7", postcode: "20121", city: "Milano", country: "IT" };

describe("the ten tools", () => {
  it("pass the lint without a warning", () => {
    expect([...definitions.keys()].toSorted()).toEqual([
      "calculate_shipping",
      "create_support_ticket",
      "format_table",
      "get_balance",
      "issue_refund",
      "lookup_order",
      "search_policy",
      "send_email",
      "update_address",
      "validate_iban",
    ]);
    expect([...definitions.values()].flatMap((definition) => lintTool(definition))).toEqual([]);
  });

  it("say what they are, what their target supports, who owns them and which scope they need", () => {
    const said = [...definitions.values()].map(
      ({ name, kind, idempotency, scopes, owner }) => `${name}: ${kind} ${idempotency.mode} ${scopes?.join()} ${owner}`,
    );
    expect(said).toEqual([
      "lookup_order: read none tools:read orders",
      "get_balance: read none tools:read payments",
      "search_policy: read none tools:read support",
      "calculate_shipping: read none tools:read logistics",
      "validate_iban: compute none tools:read payments",
      "format_table: compute none tools:read support",
      "issue_refund: write key tools:write payments",
      "send_email: write none tools:write support",
      "update_address: write key tools:write logistics",
      "create_support_ticket: write reconcile tools:write support",
    ]);
  });

  it("depend on the shop, and so share its breaker, except the two that ask nobody", () => {
    const alone = [...definitions.values()].filter((definition) => protectionOf(definition).dependencies?.[0]?.name !== "shop");
    expect(alone.map(({ name }) => name)).toEqual(["validate_iban", "format_table"]);
  });

  it("keep the limits of an order id, a refund, a reason and a search", () => {
    const wrong = (name: string, args: JsonObject) => checkArguments(definitionOf(name), { ...args }).map(({ path }) => path);
    expect(wrong("lookup_order", { order: "8821" })).toEqual(["/order"]);
    expect(wrong("issue_refund", refund(0))).toEqual(["/amount"]);
    expect(wrong("issue_refund", refund(10_001))).toEqual(["/amount"]);
    expect(wrong("issue_refund", { ...refund(10_000), reason: "x".repeat(201) })).toEqual(["/reason"]);
    expect(wrong("search_policy", { query: "x".repeat(201) })).toEqual(["/query"]);
  });

  it("ask for more people when a refund is above 50 EUR, and above 1,000 EUR", () => {
    const tierOf = (amount: number) => assessRisk(definitionOf("issue_refund"), refund(amount)).tier;
    expect([0.01, 50, 50.01, 1000, 1000.01, 10_000].map(tierOf)).toEqual(["medium", "medium", "high", "high", "critical", "critical"]);
  });

  it.each([
    ["lookup_order", { order: "ORD-" }, "/order"],
    ["lookup_order", { order: "ORD-12x" }, "/order"],
    ["lookup_order", { order: "ord-12" }, "/order"],
    ["lookup_order", { order: "ORD-1/../../effects" }, "/order"],
    ["get_balance", { customer: "ORD-1" }, "/customer"],
    ["issue_refund", { ...refund(0) }, "/amount"],
    ["issue_refund", { ...refund(10_000.01) }, "/amount"],
    ["issue_refund", { ...refund(5), reason: "x".repeat(201) }, "/reason"],
    ["issue_refund", { order: "ORD-1", amount: 5 }, "/reason"],
    ["search_policy", { query: "x".repeat(201) }, "/query"],
    ["calculate_shipping", { country: "Germany", weight_kg: 1 }, "/country"],
    ["calculate_shipping", { country: "DE", weight_kg: 31 }, "/weight_kg"],
    ["send_email", mail("eve@evil.example@shop.example"), "/to"],
    ["send_email", mail("Bo@SHOP.example"), "/to"],
    ["send_email", mail("a@shop.example\n"), "/to"],
    ["update_address", { ...address, country: "it" }, "/country"],
    ["create_support_ticket", { subject: "x".repeat(121), text: "x" }, "/subject"],
    ["validate_iban", { iban: "" }, "/iban"],
    ["format_table", { columns: [], rows: [] }, "/columns"],
  ])("%s refuses %j at %s", (name, args, path) => {
    expect(checkArguments(definitionOf(name), { ...args }).map((problem) => problem.path)).toEqual([path]);
  });

  it.each([
    ["lookup_order", { order: "ORD-8821" }],
    ["issue_refund", refund(10_000)],
    ["issue_refund", { ...refund(0.01), reason: "x".repeat(200) }],
    ["search_policy", { query: "x".repeat(200) }],
    ["calculate_shipping", { country: "DE", weight_kg: 30 }],
    ["send_email", mail("bo.keller+x@sub.shop.example")],
  ])("%s accepts %j", (name, args) => {
    expect(checkArguments(definitionOf(name), { ...args })).toEqual([]);
  });

  it.each([
    ["issue_refund", refund(50.01), "high", ["over 50 EUR"]],
    ["issue_refund", refund(1000.01), "critical", ["over 50 EUR", "over 1,000 EUR"]],
    ["send_email", mail("bo@shop.example"), "medium", []],
    ["send_email", mail("ada@customer.example"), "high", ["to somebody outside the shop"]],
    ["send_email", mail("bo@evilshop.example"), "high", ["to somebody outside the shop"]],
    ["send_email", mail("bo@shop.example.evil.example"), "high", ["to somebody outside the shop"]],
    ["send_email", mail("bo@sub.shop.example"), "high", ["to somebody outside the shop"]],
    ["update_address", address, "high", []],
    ["create_support_ticket", { subject: "Late", text: "Where?" }, "low", []],
  ])("%s %j is %s", (name, args, tier, reasons) => {
    expect(assessRisk(definitionOf(name), args)).toEqual({ tier, reasons });
  });

  it.each([
    ["issue_refund", refund(120), "Refund 120 EUR on ORD-8821: Damaged."],
    ["send_email", mail("ada@customer.example"), 'Send a mail to ada@customer.example with the subject "Hello".'],
    ["update_address", address, "Send ORD-1 to Via Roma 7, 20121 Milano, IT."],
    ["create_support_ticket", { subject: "Late", text: "Where?" }, 'Create the support ticket "Late".'],
  ])("%s tells an approver in plain words what it does", (name, args, effect) => {
    expect(renderEffect(definitionOf(name), args)).toBe(effect);
  });
});

describe("a ticket whose request never arrived", () => {
  it("is voided when the worker asks, so a late request creates no ticket", async () => {
    await using shop = await shopForTest();
    const tool = createSupportTicket(shopAt(shop.url));
    if (tool.kind !== "write") throw new Error("The tool is a write.");
    const context = {
      idempotencyKey: "rn_1.1.0",
      signal: new AbortController().signal,
      log: silentLog,
      progress: () => undefined,
      modelUsed: () => undefined,
      attach: () => null,
      ask: nobodyToAsk,
    };
    const ticket = { subject: "Late", text: "Where?" };
    expect(await tool.reconcile?.(ticket, context)).toEqual({ kind: "voided" });
    expect(await tool.run(ticket, context)).toMatchObject({ code: "reference_settled", options: { effect: "none" } });
    expect(await tool.reconcile?.(ticket, context)).toEqual({ kind: "voided" });
    expect(shop.effects().tickets).toEqual([]);
  });
});

describe("a shop that cannot be used", () => {
  it("makes the tools unavailable with a reason and a remedy", async () => {
    const signal = new AbortController().signal;
    const shop = await shopForTest();
    expect(await shopAt(shop.url).fault(signal)).toBeNull();
    await shop.stop();
    expect(await shopAt(shop.url).fault(signal)).toBe("The shop did not answer. Start it, or correct SHOP_URL.");
  });
});

async function shopForTest() {
  const shop = await startShop({ directory: null, clock: () => 1000 });
  return { ...shop, [Symbol.asyncDispose]: () => shop.stop() };
}
