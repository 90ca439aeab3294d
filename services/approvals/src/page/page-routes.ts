import type { Route } from "@toolbus/runtime";
import { cardRoutes } from "./card-routes.ts";
import { editRoutes } from "./edit-routes.ts";
import { historyRoute } from "./history-route.ts";
import type { PageOptions } from "./page-options.ts";
import { pageProblems } from "./page-problems.ts";
import { oidcRoutes } from "./oidc-routes.ts";
import { pageSession } from "./page-session.ts";
import { principalOf } from "../oidc/oidc-person.ts";
import { createSessions, type SessionProvider } from "./sessions.ts";
import { signInRoutes } from "./sign-in-routes.ts";

/**
 * Returns the routes of the approval page: HTML without scripts. People sign in with the API key of an approver or an operator, if the settings allow
 * this, or at a provider of OIDC. The routes decide exactly like those of the API. A GET never decides.
 */
export function pageRoutes(options: PageOptions): readonly Route[] {
  const { sealed, random, settings, oidc } = options;
  const keys = settings.APPROVALS_PAGE_KEY_SIGN_IN === "true" ? options.keys : null;
  const session = pageSession(createSessions({ sealed, keys, provider: providerOf(oidc), random }), settings);
  const page = pageProblems(session);
  return [
    ...signInRoutes({ ...options, keys, session, page }),
    ...(oidc === null ? [] : oidcRoutes({ ...options, oidc, session, page })),
    historyRoute({ ...options, session, page }),
    ...editRoutes({ ...options, session, page }),
    ...cardRoutes({ ...options, session, page }),
  ];
}

function providerOf(oidc: PageOptions["oidc"]): SessionProvider | null {
  if (oidc === null) return null;
  const { provider } = oidc;
  return {
    issuer: provider.issuer.href,
    clientId: provider.clientId,
    principalOf: (identity) => principalOf(identity, provider),
  };
}
