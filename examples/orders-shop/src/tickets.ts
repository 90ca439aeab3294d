import type { DatabaseSync } from "node:sqlite";
import { type Answer, problem } from "./answer.ts";
import { numberOf, type Row, textOf } from "./columns.ts";
import { matching, readFields, text } from "./fields.ts";
import { inTransaction } from "./shop-database.ts";

/** A caller's own name for a ticket. */
export const REFERENCE = /^[\x21-\x7e]{1,255}$/u;

/**
 * Creates a ticket under the caller's reference. Refuses a second ticket with the same reference. Also refuses a reference that was settled before.
 */
export function createTicket(database: DatabaseSync, body: unknown, at: number): Answer {
  const fields = readFields(body, {
    reference: matching(REFERENCE, "must be 1 to 255 visible ASCII characters without blanks"),
    subject: text(120),
    text: text(2000, { lines: true }),
  });
  if (!fields.ok) return fields.answer;
  const reference = fields.text("reference");
  return inTransaction(database, () => {
    if (ticketOf(database, reference)) return problem(409, "reference_used", "There is already a ticket with this reference.");
    if (database.prepare("SELECT 1 FROM settled WHERE reference = ?").get(reference))
      return problem(409, "reference_settled", "No ticket may be created with this reference any more.");
    const { lastInsertRowid: number } = database
      .prepare("INSERT INTO tickets (reference, subject, text, at) VALUES (?, ?, ?, ?)")
      .run(reference, fields.text("subject"), fields.text("text"), at);
    return { status: 201, effect: "tickets", body: { ticket: `TK-${number}` } };
  });
}

/**
 * Answers whether a ticket was created with this reference, and settles the reference. If there is no ticket, none can be created with it any more,
 * so a request that is still in transit has no effect. A repeat gets the same answer.
 */
export function settleReference(database: DatabaseSync, reference: string): Answer {
  return inTransaction(database, () => {
    const row = ticketOf(database, reference);
    if (row) return { status: 200, body: { state: "created", ticket: `TK-${numberOf(row, "number")}`, subject: textOf(row, "subject") } };
    database.prepare("INSERT OR IGNORE INTO settled VALUES (?)").run(reference);
    return { status: 200, body: { state: "void" } };
  });
}

function ticketOf(database: DatabaseSync, reference: string): Row | undefined {
  return database.prepare("SELECT number, subject FROM tickets WHERE reference = ?").get(reference);
}
