import type { DatabaseSync } from "node:sqlite";
import { eurOf, numberOf, textOf } from "./columns.ts";

/** All changes that requests made in the shop, oldest first. Each change is one row of the database. */
export interface Effects {
  readonly refunds: readonly { readonly refund: string; readonly order: string; readonly amount: number; readonly reason: string }[];
  readonly addressChanges: readonly { readonly change: string; readonly order: string; readonly street: string; readonly city: string }[];
  readonly mails: readonly { readonly mail: string; readonly to: string; readonly subject: string }[];
  readonly tickets: readonly { readonly ticket: string; readonly subject: string }[];
  /** The balance of each customer, in EUR. */
  readonly balances: Readonly<Record<string, number>>;
}

/** Reads the changes from the database itself, so the list does not depend on the answers that a caller received. */
export function effectsIn(database: DatabaseSync): Effects {
  const rows = (table: string) => database.prepare(`SELECT * FROM ${table} ORDER BY number`).all();
  return {
    refunds: rows("refunds").map((row) => ({
      refund: `RF-${numberOf(row, "number")}`,
      order: textOf(row, "order_id"),
      amount: eurOf(row, "amount"),
      reason: textOf(row, "reason"),
    })),
    addressChanges: rows("address_changes").map((row) => ({
      change: `AC-${numberOf(row, "number")}`,
      order: textOf(row, "order_id"),
      street: textOf(row, "street"),
      city: textOf(row, "city"),
    })),
    mails: rows("mails").map((row) => ({
      mail: `ML-${numberOf(row, "number")}`,
      to: textOf(row, "recipient"),
      subject: textOf(row, "subject"),
    })),
    tickets: rows("tickets").map((row) => ({ ticket: `TK-${numberOf(row, "number")}`, subject: textOf(row, "subject") })),
    balances: Object.fromEntries(
      database
        .prepare("SELECT id, balance FROM customers ORDER BY id")
        .all()
        .map((row) => [textOf(row, "id"), eurOf(row, "balance")]),
    ),
  };
}
