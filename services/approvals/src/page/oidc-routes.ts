import { oidcReturnQuery, signInQuery } from "@toolbus/contracts";
import { getRoute, HttpProblem, type Incoming, type RenderProblem, type Route } from "@toolbus/runtime";
import { OidcFault, type OidcFlow } from "../oidc/oidc-client.ts";
import { identityIn, principalOf } from "../oidc/oidc-person.ts";
import type { PageOidc, PageOptions } from "./page-options.ts";
import type { PageSession } from "./page-session.ts";
import { noRolePage, openAgainPage, plainHttpPage, signInPage } from "./plain-pages.ts";
import { htmlAnswer, seeOther } from "./route-docs.ts";
import { sendPage } from "./send-page.ts";
import { FLOW_MS, type SignInFlow, signInFlows } from "./sign-in-flow.ts";
import { takeSignIn, tooOften } from "./sign-in-limits.ts";

export interface OidcRoutesOptions extends Pick<PageOptions, "signIns" | "failed" | "log" | "clock" | "random" | "settings"> {
  readonly oidc: PageOidc;
  readonly session: PageSession;
  readonly page: RenderProblem;
}

/** Returns the route that leads a person to the provider, and the one to which the provider sends the person back. */
export function oidcRoutes({ oidc, signIns, failed, log, clock, random, settings, session, page }: OidcRoutesOptions): readonly Route[] {
  const { provider, client, secretText } = oidc;
  const flows = signInFlows({ random, secretText });
  const ways = { key: settings.APPROVALS_PAGE_KEY_SIGN_IN === "true", provider: provider.name };
  return [
    getRoute({
      url: "/sign-in/oidc",
      access: "public",
      page,
      docs: { operationId: "beginOidc", tag: "Page", summary: "Leads to the provider.", answers: { 303: seeOther }, problems: [] },
      query: signInQuery,
      handle: (incoming) => begin(incoming, incoming.query.to ?? ""),
    }),
    getRoute({
      url: "/sign-in/oidc/callback",
      access: "public",
      page,
      docs: {
        operationId: "endOidc",
        tag: "Page",
        summary: "Signs in a person of the provider.",
        answers: { 200: htmlAnswer },
        problems: [],
      },
      query: oidcReturnQuery,
      handle: (incoming) => finish(incoming, incoming.query.state ?? ""),
    }),
  ];

  async function begin(incoming: Incoming, to: string): Promise<unknown> {
    const { request, reply } = incoming;
    if (!session.placeOf(request).mayCarryKeys) return sendPage(incoming, session, plainHttpPage(), 403);
    const { cookie, flow } = flows.begin(to, clock());
    try {
      const address = await client.addressFor(secretsOf(flow, incoming));
      reply.setCookie(cookieOf(incoming), cookie, { ...optionsOf(incoming), maxAge: FLOW_MS / 1000 });
      reply.redirect(address, 303);
      return undefined;
    } catch (error) {
      return failedSignIn(incoming, error, to);
    }
  }

  async function finish(incoming: Incoming, state: string): Promise<unknown> {
    const { request, reply } = incoming;
    const place = session.placeOf(request);
    if (!place.mayCarryKeys) return sendPage(incoming, session, plainHttpPage(), 403);
    const flow = flows.find(request.cookies[cookieOf(incoming)] ?? "", state, clock());
    if (!flow) return failedSignIn(incoming, new OidcFault("refused", "no such flow"), "", NOT_BEGUN);
    reply.clearCookie(cookieOf(incoming), optionsOf(incoming));
    try {
      const secrets = secretsOf(flow, incoming);
      const claims = await client.claimsFor(new URL(request.url, secrets.redirectUri), secrets);
      const identity = identityIn(claims, provider);
      if ("fault" in identity) return failedSignIn(incoming, new OidcFault("refused", "no usable person"), flow.to, identity.fault);
      const principal = principalOf(identity, provider);
      if (!principal) {
        log.info({ person: identity.person, issuer: provider.issuer.href }, "a person of the provider has no role on the approval page");
        return sendPage(incoming, session, noRolePage({ provider: provider.name, person: identity.person }), 403);
      }
      await takeSignIn(signIns, principal);
      if (!(await session.beginOnce(request, reply, principal, { identity, flow: flow.mark })))
        return failedSignIn(incoming, new OidcFault("refused", "used before"), flow.to, USED);
      log.info({ principal: principal.id, keyId: principal.keyId, person: identity.person }, "a person signed in on the approval page");
      // The browser came from the provider's site. It sends the new cookie only with a request that comes from this page.
      return sendPage(incoming, session, openAgainPage(flow.to === "" ? "/approvals" : `/approvals/${flow.to}`));
    } catch (error) {
      return failedSignIn(incoming, error, flow.to);
    }
  }

  /** Shows why a sign-in failed. Counts it as a wrong key, unless the provider is to blame. */
  function failedSignIn(incoming: Incoming, error: unknown, to: string, words?: string): string {
    if (!(error instanceof OidcFault)) throw error;
    const { kind, why } = error;
    log.warn({ issuer: provider.issuer.href, why }, "a sign-in at the provider of OIDC failed");
    if (kind === "unusable") {
      const fault = `${provider.name} cannot be reached now. Try again in a moment${ways.key ? ", or sign in with a key" : ""}.`;
      return sendPage(incoming, session, signInPage({ ...ways, to, fault }), 503);
    }
    const waitMs = failed.note(incoming.request.ip);
    if (waitMs !== null) throw tooOften("Too many sign-ins from this address failed.", waitMs);
    const fault = words ?? `${provider.name} did not sign you in. Sign in again.`;
    return sendPage(incoming, session, signInPage({ ...ways, to, fault }), 401);
  }

  function secretsOf({ state, nonce, verifier }: SignInFlow, { request }: Incoming): OidcFlow {
    const { ownOrigin } = session.placeOf(request);
    if (ownOrigin === null)
      throw new HttpProblem("forbidden", "The provider does not know where to send you back.", {
        remedy: "An operator sets APPROVALS_PUBLIC_URL to the address at which people open this page.",
      });
    return { redirectUri: `${ownOrigin}/sign-in/oidc/callback`, state, nonce, verifier };
  }

  function cookieOf({ request }: Incoming): string {
    return `${session.placeOf(request).cookie.name}-flow`;
  }

  /** The browser comes back from another site, which `Strict` would not allow. The cookie alone signs in nobody. */
  function optionsOf({ request }: Incoming) {
    return { path: "/", httpOnly: true, sameSite: "lax", secure: session.placeOf(request).cookie.secure } as const;
  }
}

const NOT_BEGUN = "This sign-in did not begin in this browser, or it took longer than 10 minutes. Sign in again.";
const USED = "This sign-in was used before. Sign in again.";
