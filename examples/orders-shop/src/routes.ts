import type { IncomingMessage } from "node:http";
import type { DatabaseSync } from "node:sqlite";
import { changeAddress } from "./address-changes.ts";
import { type Answer, problem } from "./answer.ts";
import { effectsIn } from "./effects.ts";
import { COUNTRY, CUSTOMER_ID, ORDER_ID } from "./fields.ts";
import { lookups } from "./lookups.ts";
import { sendMail } from "./mails.ts";
import { oncePerKey } from "./once-per-key.ts";
import { refund } from "./refunds.ts";
import { readJsonBody } from "./request-body.ts";
import { createTicket, REFERENCE, settleReference } from "./tickets.ts";

/** Answers one request. Throws only if the database fails. */
export type Respond = (request: IncomingMessage, signal: AbortSignal) => Promise<Answer>;

const MAX_QUERY = 200;

/** Returns the routes of the shop over its database. */
export function routes(database: DatabaseSync, clock: () => number): Respond {
  const reads = lookups(database);
  return async (request, signal) => {
    const url = URL.canParse(request.url ?? "", "http://localhost") ? new URL(request.url ?? "", "http://localhost") : null;
    if (url === null) return problem(400, "bad_request", "The request path is not a valid URL.");
    const parts = pathOf(url);
    if (parts === null) return problem(400, "bad_request", "The request path is not valid percent-encoding.");
    const [first = "", id = "", last] = parts;
    switch (parts.length === 3 ? `${first}/*/${last}` : parts.length === 2 ? `${first}/*` : first) {
      case "healthz":
        return asked(request, () => ({ status: 200, body: { status: "ok" } }));
      case "effects":
        return asked(request, () => ({ status: 200, body: effectsIn(database) }));
      case "orders/*":
        return asked(request, () => fits(ORDER_ID, id, "The order must be ORD- and digits.") ?? reads.order(id));
      case "customers/*/balance":
        return asked(request, () => fits(CUSTOMER_ID, id, "The customer must be CUS- and digits.") ?? reads.balance(id));
      case "policies":
        return asked(request, () => policies(url));
      case "shipping-rates":
        return asked(request, () => shipping(url));
      case "refunds":
        return changed(request, "POST", signal, (body) =>
          oncePerKey(database, { request, route: "refunds", body }, () => refund(database, body, clock())),
        );
      case "orders/*/address":
        return changed(request, "PUT", signal, (body) =>
          oncePerKey(database, { request, route: `address of ${id}`, body }, () => changeAddress(database, id, body, clock())),
        );
      case "mails":
        return changed(request, "POST", signal, (body) => sendMail(database, body, clock()));
      case "tickets":
        return changed(request, "POST", signal, (body) => createTicket(database, body, clock()));
      case "ticket-references/*/settle":
        if (request.method !== "POST") return methodNotAllowed("POST");
        return fits(REFERENCE, id, "The reference must be visible ASCII characters.") ?? settleReference(database, id);
      default:
        return problem(404, "not_found", "There is no such path.");
    }
  };

  function policies({ searchParams }: URL): Answer {
    const [query, ...others] = searchParams.getAll("q");
    if (!query || others.length > 0 || query.length > MAX_QUERY)
      return problem(400, "invalid_fields", `Exactly one q of 1 to ${MAX_QUERY} characters is required.`);
    return reads.policies(query);
  }

  function shipping({ searchParams }: URL): Answer {
    const [country, weight] = [searchParams.get("country") ?? "", searchParams.get("weight_kg") ?? ""];
    if (!/^\d{1,4}(\.\d{1,3})?$/.test(weight)) return problem(400, "invalid_fields", "The weight must be a number.");
    return fits(COUNTRY, country, "The country must be two capital letters.") ?? reads.shipping(country, Number(weight));
  }
}

/** Returns the parts of the path, or null if they cannot be decoded. */
function pathOf({ pathname }: URL): readonly string[] | null {
  try {
    return pathname.slice(1).split("/").map(decodeURIComponent);
  } catch {
    return null;
  }
}

function asked(request: IncomingMessage, answer: () => Answer): Answer {
  return request.method === "GET" ? answer() : methodNotAllowed("GET");
}

async function changed(
  request: IncomingMessage,
  method: "POST" | "PUT",
  signal: AbortSignal,
  change: (body: unknown) => Answer,
): Promise<Answer> {
  if (request.method !== method) return methodNotAllowed(method);
  const body = await readJsonBody(request, signal);
  return body.ok ? change(body.value) : body.answer;
}

function fits(pattern: RegExp, value: string, words: string): Answer | null {
  return pattern.test(value) ? null : problem(400, "invalid_fields", words);
}

function methodNotAllowed(allow: string): Answer {
  return problem(405, "method_not_allowed", `This path answers ${allow} only.`, {}, { allow });
}
