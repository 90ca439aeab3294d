import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { DatabaseSync } from "node:sqlite";
import { type Answer, problem } from "./answer.ts";
import { textOf } from "./columns.ts";
import { inTransaction } from "./shop-database.ts";

/**
 * Executes a change once for each Idempotency-Key. The change and its answer are stored in one transaction, so a repeat gets the same answer after
 * any crash. A refusal is not stored, because nothing was changed.
 */
export function oncePerKey(
  database: DatabaseSync,
  { request, route, body }: { readonly request: IncomingMessage; readonly route: string; readonly body: unknown },
  change: () => Answer,
): Answer {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string") return problem(400, "idempotency_key_required", "Idempotency-Key is required.");
  // A header that is sent twice arrives as one value, joined by a comma and a space. The pattern refuses the space, so it refuses this value too.
  if (!/^[\x21-\x7e]{1,255}$/u.test(key))
    return problem(400, "idempotency_key_invalid", "Idempotency-Key must be 1 to 255 visible ASCII characters without blanks.");
  const asked = createHash("sha256")
    .update(JSON.stringify([route, body]))
    .digest("hex");
  return inTransaction(database, () => {
    const known = database.prepare("SELECT request, body FROM answers WHERE key = ?").get(key);
    if (known && textOf(known, "request") !== asked)
      return problem(422, "idempotency_key_reused", "This Idempotency-Key was used for another request; use a new key for a new request.");
    if (known) return { status: 200, body: JSON.parse(textOf(known, "body")) as object, headers: { "idempotent-replay": "true" } };
    const answer = change();
    if (answer.effect !== undefined) database.prepare("INSERT INTO answers VALUES (?, ?, ?)").run(key, asked, JSON.stringify(answer.body));
    return answer;
  });
}
