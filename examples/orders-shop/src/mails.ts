import type { DatabaseSync } from "node:sqlite";
import type { Answer } from "./answer.ts";
import { MAIL_ADDRESS, matching, readFields, text } from "./fields.ts";

/** Sends a mail. As with a real mail server, a retry sends another mail, even with the same idempotency key. */
export function sendMail(database: DatabaseSync, body: unknown, at: number): Answer {
  const fields = readFields(body, {
    to: matching(MAIL_ADDRESS, "must be a mail address in small letters"),
    subject: text(120),
    text: text(2000, { lines: true }),
  });
  if (!fields.ok) return fields.answer;
  const to = fields.text("to");
  const { lastInsertRowid: number } = database
    .prepare("INSERT INTO mails (recipient, subject, text, at) VALUES (?, ?, ?, ?)")
    .run(to, fields.text("subject"), fields.text("text"), at);
  return { status: 202, effect: "mails", body: { mail: `ML-${number}`, to } };
}
