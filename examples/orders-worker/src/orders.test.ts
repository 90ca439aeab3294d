import type { JsonObject } from "@toolbus/contracts";
import { startShop } from "@toolbus/example-orders-shop";
import { toolsetUnderTest } from "@toolbus/tool-kit/testing";
import { describe, expect, it } from "vitest";
import { orders } from "./orders.ts";
import { shopAt } from "./shop/shop-at.ts";

/**
 * Starts the real shop, and a worker of the toolset without a broker. The shop loses its answer to the first change of the given table, of which the
 * worker would warn.
 */
async function setup({ loses = "" } = {}) {
  let lost = 0;
  const shop = await startShop({
    directory: null,
    clock: () => Date.now(),
    losesAnswerTo: (effect) => effect === loses && lost++ === 0,
  });
  const { call, plan } = await toolsetUnderTest(orders(shopAt(shop.url)), { log: null });
  return { shop, lost: () => lost, call, plan, [Symbol.asyncDispose]: () => shop.stop() };
}

const refund = (order: string, amount: number): JsonObject => ({ order, amount, reason: "Damaged." });

describe("the orders worker", () => {
  it("refunds once, with the call's id as key, however often the call is sent", async () => {
    await using bundle = await setup();
    const first = await bundle.call("issue_refund", refund("ORD-8821", 20));
    const again = await bundle.call("issue_refund", refund("ORD-8821", 20), { callId: first.callId });
    expect(JSON.parse(first.content)).toEqual({ refund: "RF-1", order: "ORD-8821", amount: 20, currency: "EUR" });
    expect(again.content).toBe(first.content);
    expect(bundle.shop.effects().refunds).toHaveLength(1);
  });

  it("refunds nothing above 50 EUR that only policy has granted, and nothing above 1,000 EUR that one person approved", async () => {
    await using bundle = await setup();
    await expect(bundle.call("issue_refund", refund("ORD-8821", 80), { approvers: [] })).rejects.toThrow(
      "0 distinct approvers, 1 are needed.",
    );
    await expect(bundle.call("issue_refund", refund("ORD-8830", 1001), { approvers: ["bo"] })).rejects.toThrow(
      "1 distinct approvers, 2 are needed.",
    );
    await bundle.call("issue_refund", refund("ORD-8822", 5));
    expect(bundle.shop.effects().refunds.map(({ order }) => order)).toEqual(["ORD-8822"]);
  });

  it("refunds what enough people have approved", async () => {
    await using bundle = await setup();
    expect(await bundle.call("issue_refund", refund("ORD-8821", 80), { approvers: ["bo"] })).toMatchObject({ status: "ok" });
    expect(await bundle.call("issue_refund", refund("ORD-8830", 1001), { approvers: ["bo", "cy"] })).toMatchObject({ status: "ok" });
    expect(bundle.shop.effects().balances).toEqual({ "CUS-17": 80, "CUS-23": 12.5, "CUS-42": 1001 });
  });

  it("answers with every wrong field before anything is granted", async () => {
    await using bundle = await setup();
    const { content } = await bundle.call("issue_refund", { order: "8821", amount: -1, reason: "x".repeat(201) });
    expect(JSON.parse(content)).toMatchObject({
      error: "invalid_arguments",
      details: [{ path: "/order" }, { path: "/amount" }, { path: "/reason" }],
    });
    expect(bundle.shop.effects().refunds).toEqual([]);
  });

  it("repeats a refund whose answer was lost, and one refund exists", async () => {
    await using bundle = await setup({ loses: "refunds" });
    const { status, content } = await bundle.call("issue_refund", refund("ORD-8821", 20));
    expect({ status, lost: bundle.lost() > 0 }).toEqual({ status: "ok", lost: true });
    expect(content).toContain("RF-1");
    expect(bundle.shop.effects().refunds).toHaveLength(1);
  });

  it("asks for a ticket whose answer was lost, and creates no second one", async () => {
    await using bundle = await setup({ loses: "tickets" });
    const { status, content } = await bundle.call("create_support_ticket", { subject: "Late", text: "Where is it?" });
    expect({ status, content, lost: bundle.lost() }).toEqual({ status: "ok", content: '{"ticket":"TK-1"}', lost: 1 });
    expect(bundle.shop.effects().tickets).toHaveLength(1);
  });

  it("reports a mail whose answer was lost as unknown, and sends no second one", async () => {
    await using bundle = await setup({ loses: "mails" });
    const mail = { to: "warehouse@shop.example", subject: "Count", text: "Please count." };
    const first = await bundle.call("send_email", mail);
    const again = await bundle.call("send_email", mail, { callId: first.callId });
    expect([first.status, again.status]).toEqual(["outcome_unknown", "outcome_unknown"]);
    expect(bundle.shop.effects().mails).toHaveLength(1);
  });

  it("changes the address of an order that was not sent, and of no other", async () => {
    await using bundle = await setup();
    const address = { street: "Bahnhofplatz 1", postcode: "8001", city: "Zurich", country: "CH" };
    const args = { order: "ORD-8822", ...address };
    expect(await bundle.plan("update_address", args)).toEqual({
      before: { status: "packed", street: "Seestrasse 11", postcode: "8002", city: "Zurich", country: "CH" },
      after: { status: "packed", ...address },
    });
    expect(await bundle.call("update_address", args)).toMatchObject({ status: "ok" });
    const { content } = await bundle.call("update_address", { order: "ORD-8821", ...address });
    expect(JSON.parse(content)).toMatchObject({
      error: "order_sent",
      message: "ORD-8821 is delivered, so its address cannot change any more.",
    });
    const looked = await bundle.call("lookup_order", { order: "ORD-8822" });
    expect(JSON.parse(looked.content)).toMatchObject({ address });
    expect(bundle.shop.effects().addressChanges).toHaveLength(1);
  });

  it("passes on the shop's reason for refusing a refund, and does not repeat it", async () => {
    await using bundle = await setup();
    const { content } = await bundle.call("issue_refund", refund("ORD-8822", 19.81));
    expect(JSON.parse(content)).toMatchObject({
      error: "refund_exceeds_order",
      message: "Only 19.80 EUR of ORD-8822 can still be refunded.",
    });
    expect(bundle.shop.effects().refunds).toEqual([]);
  });

  it.each([
    ["lookup_order", { order: "ORD-8821" }, { customer: "CUS-17", status: "delivered", total: 249, refunded: 0 }],
    ["lookup_order", { order: "ORD-1" }, { error: "order_not_found" }],
    ["get_balance", { customer: "CUS-23" }, { balance: 12.5, currency: "EUR" }],
    ["get_balance", { customer: "CUS-1" }, { error: "customer_not_found" }],
    ["search_policy", { query: "a lamp was damaged" }, { matches: [{ title: "Damaged goods" }] }],
    ["search_policy", { query: "%&?=#/ ../effects" }, { matches: [] }],
    ["calculate_shipping", { country: "DE", weight_kg: 2.5 }, { price: 6.7, currency: "EUR", days: 2 }],
    ["calculate_shipping", { country: "DE", weight_kg: 0.00001 }, { price: 5.5 }],
    ["calculate_shipping", { country: "US", weight_kg: 1 }, { error: "country_not_served" }],
    ["validate_iban", { iban: "de89 3704 0044 0532 0130 00" }, { valid: true }],
    ["validate_iban", { iban: "GB82WEST12345698765432" }, { valid: true }],
    ["validate_iban", { iban: "DE89 3704 0044 0532 0130 01" }, { valid: false, reason: "Its check digits are wrong." }],
    ["validate_iban", { iban: "DE8937040044053201300" }, { valid: false, reason: "An IBAN of DE has 22 characters, not 21." }],
    ["validate_iban", { iban: "12" }, { valid: false }],
    ["format_table", { columns: ["A", "B"], rows: [["1"]] }, { error: "invalid_arguments", details: [{ path: "/rows/0" }] }],
  ])("%s %j answers with %j", async (tool, args, expected) => {
    await using bundle = await setup();
    const { content } = await bundle.call(tool, args);
    expect(JSON.parse(content)).toMatchObject(expected);
  });

  it("formats a table in which no cell can end its row", async () => {
    await using bundle = await setup();
    const args = { columns: ["Order", "Note"], rows: [["ORD-1", "a|b\nc\\"]] };
    expect((await bundle.call("format_table", args)).content).toBe("| Order | Note |\n| --- | --- |\n| ORD-1 | a\\|b c\\\\ |");
  });
});
