import type { Incoming } from "@toolbus/runtime";
import { PAGE_HEADERS, type Page, pageText } from "./layout.ts";
import type { PageSession } from "./page-session.ts";

/** Answers a request with a page, and returns its text. */
export function sendPage({ request, reply }: Incoming, session: PageSession, page: Page, status = 200): string {
  const { referrerPolicy } = session.placeOf(request);
  reply
    .code(status)
    .headers({ ...PAGE_HEADERS, "referrer-policy": referrerPolicy })
    .type("text/html; charset=utf-8");
  return pageText(page);
}

/** Sends the browser to another address of the page. It opens that address with a GET, so a reload does not repeat a form. */
export function sendTo({ reply }: Incoming, path: string): undefined {
  reply.redirect(path, 303);
}
