import { isApprovalId, signInForm, signInQuery, signOutForm } from "@toolbus/contracts";
import { type ApiKeys, getRoute, HttpProblem, type Incoming, noQuery, postRoute, type RenderProblem, type Route } from "@toolbus/runtime";
import { takeSignIn, tooOften } from "./sign-in-limits.ts";
import { checkForm, checkOrigin } from "./form-check.ts";
import type { PageOptions } from "./page-options.ts";
import type { PageSession } from "./page-session.ts";
import { OVER_HTTP, plainHttpPage, signInPage } from "./plain-pages.ts";
import { htmlAnswer, seeOther } from "./route-docs.ts";
import { sendPage, sendTo } from "./send-page.ts";

export interface SignInRoutesOptions extends Pick<PageOptions, "signIns" | "failed" | "log" | "oidc"> {
  /** The keys with which people sign in, or null if nobody may sign in with a key. */
  readonly keys: ApiKeys | null;
  readonly session: PageSession;
  readonly page: RenderProblem;
}

/** The roles whose keys open the page. */
export const READERS = ["approver", "operator"] as const;

/** Returns the routes with which people sign in and out, and the one that leads from the root of the address to the list. */
export function signInRoutes({ keys, signIns, failed, log, oidc, session, page }: SignInRoutesOptions): readonly Route[] {
  const ways = { key: keys !== null, ...(oidc === null ? {} : { provider: oidc.provider.name }) };
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
        return sendPage(incoming, session, signInPage({ ...ways, to: incoming.query.to ?? "" }));
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
    if (keys === null) throw new HttpProblem("forbidden", "Nobody may sign in with a key here.", { remedy: "Sign in at the provider." });
    const approval = isApprovalId(to) ? to : "";
    const principal = keys.find(`Bearer ${key.trim()}`);
    if (!principal) {
      const waitMs = failed.note(request.ip);
      if (waitMs !== null) throw tooOften("Too many wrong keys came from this address.", waitMs);
      return sendPage(incoming, session, signInPage({ ...ways, to: approval, fault: "Approvals does not know this key." }), 401);
    }
    if (!principal.roles.some((role) => READERS.some((reader) => reader === role))) {
      const fault = `This key has the role ${principal.roles.join(", ")}. The page is for approvers and operators.`;
      return sendPage(incoming, session, signInPage({ ...ways, to: approval, fault }), 403);
    }
    await takeSignIn(signIns, principal);
    await session.begin(request, reply, principal);
    log.info({ principal: principal.id, keyId: principal.keyId }, "a person signed in on the approval page");
    return sendTo(incoming, approval === "" ? "/approvals" : `/approvals/${approval}`);
  }
}
