import type { Route } from "@toolbus/runtime";
import { cardRoutes } from "./card-routes.ts";
import { editRoutes } from "./edit-routes.ts";
import { historyRoute } from "./history-route.ts";
import type { PageOptions } from "./page-options.ts";
import { pageProblems } from "./page-problems.ts";
import { pageSession } from "./page-session.ts";
import { createSessions } from "./sessions.ts";
import { signInRoutes } from "./sign-in-routes.ts";

/**
 * Returns the routes of the approval page: HTML without scripts, for people who sign in with the API key of an approver. They decide exactly like the
 * routes of the API. A GET never decides.
 */
export function pageRoutes(options: PageOptions): readonly Route[] {
  const { sealed, keys, random, settings } = options;
  const session = pageSession(createSessions({ sealed, keys, random }), settings);
  const page = pageProblems(session);
  return [
    ...signInRoutes({ ...options, session, page }),
    historyRoute({ ...options, session, page }),
    ...editRoutes({ ...options, session, page }),
    ...cardRoutes({ ...options, session, page }),
  ];
}
