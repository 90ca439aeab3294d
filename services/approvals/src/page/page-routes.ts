import type { ApiKeys, FailedLogins, RateLimit, Route } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { Decisions } from "../decisions/decisions.ts";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";
import type { SealedStore } from "../sealed/sealed-store.ts";
import { cardRoutes } from "./card-routes.ts";
import type { PageSettings } from "./page-address.ts";
import { pageProblems } from "./page-problems.ts";
import { pageSession } from "./page-session.ts";
import { createSessions } from "./sessions.ts";
import { signInRoutes } from "./sign-in-routes.ts";

export interface PageRoutesOptions {
  readonly state: StateStore;
  readonly sealed: SealedStore;
  readonly documents: ApprovalDocuments;
  readonly decisions: Decisions;
  readonly keys: ApiKeys;
  readonly settings: PageSettings;
  /** Returns the time in milliseconds since 1970, for the ages that the page shows. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  /** How many decisions each approver may make per minute. Null means no limit. */
  readonly rate: RateLimit | null;
  /** How often each person may sign in per minute. */
  readonly signIns: RateLimit;
  /** Counts wrong keys per address. */
  readonly failed: FailedLogins;
  readonly log: Log;
}

/**
 * Returns the routes of the approval page: HTML without scripts, for people who sign in with the API key of an approver. They decide exactly like the
 * routes of the API. A GET never decides.
 */
export function pageRoutes(options: PageRoutesOptions): readonly Route[] {
  const { sealed, keys, random, settings } = options;
  const session = pageSession(createSessions({ sealed, keys, random }), settings);
  const page = pageProblems(session);
  return [...signInRoutes({ ...options, session, page }), ...cardRoutes({ ...options, session, page })];
}
