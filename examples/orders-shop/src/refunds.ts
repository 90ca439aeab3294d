import type { DatabaseSync } from "node:sqlite";
import { type Answer, problem } from "./answer.ts";
import { centsOf } from "./columns.ts";
import { amount, matching, ORDER_ID, readFields, text } from "./fields.ts";
import { noSuchOrder, refundableOf } from "./lookups.ts";

/** The largest refund in EUR that the shop accepts in one request. */
const MAX_REFUND = 10_000;

/** Refunds a part of an order to the customer's balance. The caller runs this function in a transaction. */
export function refund(database: DatabaseSync, body: unknown, at: number): Answer {
  const fields = readFields(body, {
    order: matching(ORDER_ID, "must be ORD- and digits"),
    amount: amount(MAX_REFUND),
    reason: text(200),
  });
  if (!fields.ok) return fields.answer;
  const order = fields.text("order");
  const cents = centsOf(fields.number("amount"));
  const left = refundableOf(database, order);
  if (left === null) return noSuchOrder(order);
  if (cents > left.cents)
    return problem(409, "refund_exceeds_order", `Only ${(left.cents / 100).toFixed(2)} EUR of ${order} can still be refunded.`);
  const { lastInsertRowid: number } = database
    .prepare("INSERT INTO refunds (order_id, amount, reason, at) VALUES (?, ?, ?, ?)")
    .run(order, cents, fields.text("reason"), at);
  database.prepare("UPDATE customers SET balance = balance + ? WHERE id = ?").run(cents, left.customer);
  return { status: 201, effect: "refunds", body: { refund: `RF-${number}`, order, amount: cents / 100, currency: "EUR" } };
}
