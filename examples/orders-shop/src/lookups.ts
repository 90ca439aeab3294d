import type { DatabaseSync } from "node:sqlite";
import { type Answer, problem } from "./answer.ts";
import { centsOf, eurOf, numberOf, textOf } from "./columns.ts";

/** The questions that change nothing. */
export interface Lookups {
  order(id: string): Answer;
  balance(customer: string): Answer;
  policies(query: string): Answer;
  shipping(country: string, weightKg: number): Answer;
}

const MAX_WEIGHT_KG = 30;

export function lookups(database: DatabaseSync): Lookups {
  return {
    order(id) {
      const row = database
        .prepare(
          "SELECT o.*, coalesce((SELECT sum(amount) FROM refunds WHERE order_id = o.id), 0) AS refunded FROM orders o WHERE o.id = ?",
        )
        .get(id);
      if (!row) return noSuchOrder(id);
      return found({
        order: id,
        customer: textOf(row, "customer"),
        status: textOf(row, "status"),
        items: textOf(row, "items"),
        total: eurOf(row, "total"),
        refunded: eurOf(row, "refunded"),
        address: Object.fromEntries(["street", "postcode", "city", "country"].map((part) => [part, textOf(row, part)])),
      });
    },
    balance(customer) {
      const row = database.prepare("SELECT balance FROM customers WHERE id = ?").get(customer);
      if (!row) return problem(404, "customer_not_found", `There is no customer ${customer}.`);
      return found({ customer, balance: eurOf(row, "balance"), currency: "EUR" });
    },
    policies(query) {
      const words = query
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter((word) => word.length > 2);
      const matches = database
        .prepare("SELECT title, text FROM policies ORDER BY id")
        .all()
        .map((row) => ({ title: textOf(row, "title"), text: textOf(row, "text") }))
        .filter(({ title, text }) => words.some((word) => `${title} ${text}`.toLowerCase().includes(word)));
      return found({ matches });
    },
    shipping(country, weightKg) {
      if (!(weightKg > 0) || weightKg > MAX_WEIGHT_KG)
        return problem(400, "invalid_fields", `The weight must be above 0 and up to ${MAX_WEIGHT_KG} kg.`);
      const row = database.prepare("SELECT * FROM rates WHERE country = ?").get(country);
      if (!row) {
        const countries = database
          .prepare("SELECT country FROM rates ORDER BY country")
          .all()
          .map((rate) => textOf(rate, "country"));
        return problem(404, "country_not_served", `The shop sends no parcels to ${country}, only to ${countries.join(", ")}.`);
      }
      const price = numberOf(row, "base") + Math.ceil(weightKg) * numberOf(row, "per_kg");
      return found({ country, weight_kg: weightKg, price: price / 100, currency: "EUR", days: numberOf(row, "days") });
    },
  };
}

export function noSuchOrder(id: string): Answer {
  return problem(404, "order_not_found", `There is no order ${id}.`);
}

/** Returns how much of an order may still be refunded, in cents. Returns null if there is no such order. */
export function refundableOf(database: DatabaseSync, id: string): { readonly cents: number; readonly customer: string } | null {
  const row = database
    .prepare(
      "SELECT customer, total - coalesce((SELECT sum(amount) FROM refunds WHERE order_id = o.id), 0) AS left FROM orders o WHERE o.id = ?",
    )
    .get(id);
  return row ? { cents: centsOf(eurOf(row, "left")), customer: textOf(row, "customer") } : null;
}

function found(body: object): Answer {
  return { status: 200, body };
}
