import type { DatabaseSync } from "node:sqlite";
import { type Answer, problem } from "./answer.ts";
import { textOf } from "./columns.ts";
import { COUNTRY, matching, readFields, text } from "./fields.ts";
import { noSuchOrder } from "./lookups.ts";

/** Changes the address of an order that was not sent yet. The caller runs this function in a transaction. */
export function changeAddress(database: DatabaseSync, order: string, body: unknown, at: number): Answer {
  const fields = readFields(body, {
    street: text(100),
    postcode: text(12),
    city: text(60),
    country: matching(COUNTRY, "must be two capital letters"),
  });
  if (!fields.ok) return fields.answer;
  const row = database.prepare("SELECT status FROM orders WHERE id = ?").get(order);
  if (!row) return noSuchOrder(order);
  if (textOf(row, "status") !== "packed")
    return problem(409, "order_sent", `${order} is ${textOf(row, "status")}, so its address cannot change any more.`);
  const [street, postcode, city, country] = [fields.text("street"), fields.text("postcode"), fields.text("city"), fields.text("country")];
  database
    .prepare("UPDATE orders SET street = ?, postcode = ?, city = ?, country = ? WHERE id = ?")
    .run(street, postcode, city, country, order);
  database
    .prepare("INSERT INTO address_changes (order_id, street, postcode, city, country, at) VALUES (?, ?, ?, ?, ?, ?)")
    .run(order, street, postcode, city, country, at);
  return { status: 200, effect: "address_changes", body: { order, address: { street, postcode, city, country } } };
}
