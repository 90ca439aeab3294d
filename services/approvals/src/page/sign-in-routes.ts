import { isApprovalId, signInForm, signInQuery, signOutForm } from "@toolbus/contracts";
import { getRoute, HttpProblem, type Incoming, noQuery, postRoute, type Principal, type RenderProblem, type Route } from "@toolbus/runtime";
import { checkForm, checkOrigin } from "./form-check.ts";
import type { PageOptions } from "./page-options.ts";
import type { PageSession } from "./page-session.ts";
import { OVER_HTTP, plainHttpPage, signInPage } from "./plain-pages.ts";
import { htmlAnswer, seeOther } from "./route-docs.ts";
import { sendPage, sendTo } from "./send-page.ts";

export interface SignInRoutesOptions extends Pick<PageOptions, "keys" | "signIns" | "failed" | "log"> {
  readonly session: PageSession;
  readonly page: RenderProblem;
}

/** The roles whose keys open the page. */
export const READERS = ["approver", "operator"] as const;

/** Returns the routes with which people sign in and out, and the one that leads from the root of the address to the list. */
export function signInRoutes({ keys, signIns, failed, log, session, page }: SignInRoutesOptions): readonly Route[] {
  return [
    getRoute({
      url: "/",
      access: "public",
      page,
      docs: { operationId: "openPage", tag: "Page", summary: "Leads to the list.", answers: { 303: seeOther }, problems: [] },
      query: noQuery,
      handle: async (incoming) => sendTo(incoming, "/approvals"),
    }),
    getRoute({
      url: "/sign-in",
      access: "public",
      page,
      docs: { operationId: "openSignIn", tag: "Page", summary: "Shows the form to sign in.", answers: { 200: htmlAnswer }, problems: [] },
      query: signInQuery,
      async handle(incoming) {
        if (!session.placeOf(incoming.request).mayCarryKeys) return sendPage(incoming, session, plainHttpPage(), 403);
        return sendPage(incoming, session, signInPage({ to: incoming.query.to ?? "" }));
      },
    }),
    postRoute({
      url: "/sign-in",
      access: "public",
      page,
      docs: { operationId: "signIn", tag: "Page", summary: "Signs in with an API key.", answers: { 303: seeOther }, problems: [] },
      body: { declared: signInForm, required: true, examples: [], remedy: "Use the form of the page." },
      rate: null,
      handle: (incoming) => signIn(incoming, incoming.body),
    }),
    postRoute({
      url: "/sign-out",
      access: "public",
      page,
      docs: { operationId: "signOut", tag: "Page", summary: "Ends the session.", answers: { 303: seeOther }, problems: [] },
      body: { declared: signOutForm, required: true, examples: [], remedy: "Use the form of the page." },
      rate: null,
      async handle(incoming) {
        const { request, reply, body } = incoming;
        checkOrigin(request.headers, session.placeOf(request));
        const found = await session.find(request);
        if (found) {
          checkForm(found, "sign-out", body.form);
          await session.end(request, reply);
        }
        return sendTo(incoming, "/sign-in");
      },
    }),
  ];

  async function signIn(incoming: Incoming, { key, to = "" }: { readonly key: string; readonly to?: string }): Promise<unknown> {
    const { request, reply } = incoming;
    const place = session.placeOf(request);
    if (!place.mayCarryKeys) throw new HttpProblem("forbidden", OVER_HTTP);
    checkOrigin(request.headers, place);
    const approval = isApprovalId(to) ? to : "";
    const principal = keys.find(`Bearer ${key.trim()}`);
    if (!principal) {
      const waitMs = failed.note(request.ip);
      if (waitMs !== null) throw tooMany("Too many wrong keys came from this address.", waitMs);
      return sendPage(incoming, session, signInPage({ to: approval, fault: "Approvals does not know this key." }), 401);
    }
    if (!principal.roles.some((role) => READERS.some((reader) => reader === role))) {
      const fault = `This key has the role ${principal.roles.join(", ")}. The page is for approvers and operators.`;
      return sendPage(incoming, session, signInPage({ to: approval, fault }), 403);
    }
    await takeOne(principal);
    await session.begin(request, reply, principal);
    log.info({ principal: principal.id, keyId: principal.keyId }, "a person signed in on the approval page");
    return sendTo(incoming, approval === "" ? "/approvals" : `/approvals/${approval}`);
  }

  async function takeOne(principal: Principal): Promise<void> {
    const { granted, resetMs } = await signIns.take(principal);
    if (!granted) throw tooMany(`A person may ${signIns.words} a minute.`, resetMs);
  }
}

function tooMany(detail: string, waitMs: number): HttpProblem {
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)));
  return new HttpProblem("rate_limited", detail, { remedy: `Try again in ${seconds} s.` }, { "retry-after": seconds });
}
