import { HttpProblem, type RenderProblem } from "@toolbus/runtime";
import { isApprovalId } from "@toolbus/contracts";
import { PAGE_HEADERS, type Page, pageText } from "./layout.ts";
import type { PageSession } from "./page-session.ts";
import { openAgainPage, problemPage } from "./plain-pages.ts";

/** Returns how the page shows refusals. A person who is not signed in is sent to the sign-in page, and comes back after that. */
export function pageProblems(session: PageSession): RenderProblem {
  return (problem, request) => {
    const shown = (page: Page, status: number) => ({
      status,
      headers: { ...problem.headers, ...PAGE_HEADERS, "referrer-policy": session.placeOf(request).referrerPolicy },
      html: pageText(page),
    });
    if (problem.code !== "unauthenticated")
      return shown(problemPage(inWords(problem, request.method), session.personOf(request)), problem.status);
    if (request.method !== "GET") return shown(problemPage(NOT_SIGNED_IN), problem.status);
    const [path = ""] = request.url.split("?");
    const site = request.headers["sec-fetch-site"];
    const isLink = site === "cross-site" || site === "same-site";
    if (isLink && !session.hasCookie(request)) return shown(openAgainPage(path), 200);
    const to = path.replace(/^\/approvals\//, "");
    return { status: 303, headers: { location: isApprovalId(to) ? `/sign-in?to=${to}` : "/sign-in" }, html: "" };
  };
}

const NOT_SIGNED_IN = new HttpProblem("unauthenticated", "You are not signed in any more, so nothing was done.", {
  remedy: "Sign in, open the approval again, and decide there.",
});

/** Returns the problem in words for a person on the page, who sees neither JSON nor routes. */
function inWords(problem: HttpProblem, method: string): HttpProblem {
  if (problem.code === "unsupported_media_type")
    return new HttpProblem(problem.code, "The page reads only forms.", { remedy: "Use the forms of the page." });
  if (problem.code !== "invalid_request" || problem.message !== "The query breaks its schema.") return problem;
  if (method !== "GET") return problem;
  return new HttpProblem(problem.code, "This page does not read what the address has after its question mark.", {
    remedy: "Open the address without it. An address is logged and remembered: if it had a key in it, replace that key.",
  });
}
