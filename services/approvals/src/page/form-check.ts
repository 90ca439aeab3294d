import { timingSafeEqual } from "node:crypto";
import { HttpProblem } from "@toolbus/runtime";
import type { PagePlace } from "./page-address.ts";
import type { Session } from "./sessions.ts";

/**
 * Throws a problem if a form may come from a page of another site. The browser says where it comes from. Neither header may name another site, and one
 * of them must name this page. A browser that keeps the origin secret sends `null`, which says nothing.
 */
export function checkOrigin(headers: Readonly<Record<string, string | readonly string[] | undefined>>, { origins }: PagePlace): void {
  const site = headers["sec-fetch-site"];
  const origin = headers["origin"] === "null" ? undefined : headers["origin"];
  const fromHere = site === "same-origin" || (typeof origin === "string" && origins.includes(origin));
  const fromElsewhere = (site !== undefined && site !== "same-origin") || (origin !== undefined && !origins.includes(String(origin)));
  if (fromHere && !fromElsewhere) return;
  throw new HttpProblem("forbidden", "This form does not come from the approval page, so nothing was done.", {
    remedy: "Open the approval page itself and decide there.",
  });
}

/** Throws a problem if a form was not made for this session and this purpose. */
export function checkForm(session: Session, purpose: string, form: string): void {
  const expected = Buffer.from(session.formToken(purpose));
  const given = Buffer.from(form);
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new HttpProblem("forbidden", "This form was made for another session or another approval, so nothing was done.", {
    remedy: "Open the approval again and use the form that it shows.",
  });
}
